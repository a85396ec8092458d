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
import { printTimestamp } from '@app/wire';

/** A field of a price: how it is asked for, read, and printed. */
interface CostField {
  readonly asked: Plain;
  readonly read: Sql;
  readonly json: (value: string | number) => string;
}

const text = (name: string): CostField => ({
  asked: textColumn(name),
  read: raw(name),
  json: (value) => JSON.stringify(value),
});

/** Printed with all its digits; a comparison is one of doubles, as everywhere in the query language. */
const cost = (name: string): CostField => ({
  asked: computed('number', raw(`toFloat64(${name})`)),
  read: raw(`toString(${name})`),
  json: String,
});

const moment = (name: string): CostField => ({
  asked: column('time', name),
  read: raw(`toUnixTimestamp64Micro(${name})`),
  json: (value) => JSON.stringify(printTimestamp(Number(value))),
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
  effective_date: moment('effective_date'),
  provider_id: text('provider_id'),
  pricing_level: {
    asked: computed('text', raw('toString(level)')),
    read: raw('toString(level)'),
    json: (value) => JSON.stringify(value),
  },
  pricing_level_id: text('level_id'),
  created_by: text('created_by'),
  created_at: moment('created_at'),
};

/** Answered when no fields are named. */
export const COST_FIELDS = Object.keys(FIELDS).slice(0, 10);

export function costField(name: string, at: Place): CostField {
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field) return field;
  throw new ExprError('value', at, `${shown(name)} is not a field of a cost`);
}

/** What a query or a sort may name in a price. */
export const COST_FIELD_MAP: FieldMap = { field: (path, at) => costField(path, at).asked };
