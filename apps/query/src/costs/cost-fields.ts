import { raw, type Sql } from '@app/clickhouse';
import {
  column,
  computed,
  ExprError,
  shown,
  textColumn,
  type FieldMap,
  type Place,
  type Plain,
} from '@app/query-language';
import { micros, printTimestamp } from '@app/wire';

/** A field of a price: as a query compares it, as a statement selects it, and as the response prints it. */
interface CostField {
  readonly queried: Plain;
  readonly selected: Sql;
  readonly json: (value: string | number) => string;
}

const text = (name: string): CostField => ({
  queried: textColumn(name),
  selected: raw(name),
  json: (value) => JSON.stringify(value),
});

/** Printed with all its digits; compared as a double, like every number in the query language. */
const cost = (name: string): CostField => ({
  queried: computed('number', raw(`toFloat64(${name})`)),
  selected: raw(`toString(${name})`),
  json: String,
});

const timestamp = (name: string): CostField => ({
  queried: column('time', name),
  selected: raw(`toUnixTimestamp64Micro(${name})`),
  json: (value) => JSON.stringify(printTimestamp(micros(Number(value)))),
});

const FIELDS: Readonly<Record<string, CostField>> = {
  id: text('id'),
  llm_id: text('llm_id'),
  prompt_token_cost: cost('prompt_cost'),
  completion_token_cost: cost('completion_cost'),
  cache_read_input_token_cost: cost('cache_read_cost'),
  cache_creation_input_token_cost: cost('cache_write_cost'),
  prompt_token_cost_unit: text('prompt_unit'),
  completion_token_cost_unit: text('completion_unit'),
  effective_date: timestamp('effective_date'),
  provider_id: text('provider_id'),
  pricing_level: {
    queried: computed('text', raw('toString(level)')),
    selected: raw('toString(level)'),
    json: (value) => JSON.stringify(value),
  },
  pricing_level_id: text('level_id'),
  created_by: text('created_by'),
  created_at: timestamp('created_at'),
  source: text('source'),
};

/** The fields of the response when the request names none. */
export const COST_FIELDS = Object.keys(FIELDS).slice(0, 10);

/** The same when default prices are included: which are defaults, and where they come from. */
export const DEFAULT_COST_FIELDS = [...COST_FIELDS, 'pricing_level', 'source'];

export function costField(name: string, at: Place): CostField {
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field) return field;
  throw new ExprError('value', at, `${shown(name)} is not a field of a cost`);
}

/** The fields of a price that a query or a sort may name. */
export const COST_FIELD_MAP: FieldMap = { field: (path, at) => costField(path, at).queried };
