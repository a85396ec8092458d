import { Text } from './fields.js';
import { OneOf } from './object-fields.js';

const DIRECTIONS = ['asc', 'desc'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** One key of an order. The direction goes by either name. */
export class SortField {
  @Text('What to sort by.') field!: string;
  @OneOf('asc or desc.', DIRECTIONS) direction?: Direction | null;
  @OneOf('Another name of direction.', DIRECTIONS) order?: Direction | null;
}
