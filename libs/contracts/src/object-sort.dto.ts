import { OptionalParts, Text } from './fields.js';
import { OneOf } from './object-fields.js';

const DIRECTIONS = ['asc', 'desc'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** One key of an order. The direction goes by either name. */
export class SortField {
  @Text('What to sort by, such as `started_at` or a path like `inputs.a.b`.') field!: string;
  @OneOf('asc or desc.', DIRECTIONS) direction?: Direction | null;
  @OneOf('Another name of direction.', DIRECTIONS) order?: Direction | null;
}

/** Each key is dear to plan, and nobody has that many in mind. */
const KEYS_MAX = 20;

export const OptionalSort = (about: string): PropertyDecorator =>
  OptionalParts(() => SortField, about, KEYS_MAX);
