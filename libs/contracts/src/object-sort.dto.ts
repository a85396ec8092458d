import { AnyText, OptionalParts } from './fields.js';
import { OneOf } from './object-fields.js';

const DIRECTIONS = ['asc', 'desc'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** One sort key. `direction` and `order` are the same field. */
export class SortField {
  @AnyText('The field to sort by, such as `started_at` or a path like `inputs.a.b`.')
  field!: string;
  @OneOf('asc or desc.', DIRECTIONS) direction?: Direction | null;
  @OneOf('Alias of direction.', DIRECTIONS) order?: Direction | null;
}

/** ClickHouse plans every key at a high cost, and no known client sends more. */
const KEYS_MAX = 20;

export const OptionalSort = (about: string): PropertyDecorator =>
  OptionalParts(() => SortField, about, KEYS_MAX);
