import type { Micros } from '@app/wire';
import {
  asDecimal18,
  asEnum8,
  asMicros,
  asText,
  asUInt64,
  asUInt8,
  type Table,
} from '../columns.js';

const PRICE_LEVEL = { default: 1, project: 2 } as const;
type PriceLevel = keyof typeof PRICE_LEVEL;

/** `level_id` of default prices, which apply to projects without their own. */
export const DEFAULT_LEVEL_ID = 'default';

export interface PriceRow {
  level: PriceLevel;
  level_id: string;
  llm_id: string;
  effective_date: Micros;
  id: string;
  provider_id: string;
  /** Per token, as decimal text. */
  prompt_cost: string;
  completion_cost: string;
  cache_read_cost: string;
  cache_write_cost: string;
  prompt_unit: string;
  completion_unit: string;
  created_by: string;
  /** Empty for the price of a project. */
  source: string;
  created_at: Micros;
  version: number;
  is_deleted: number;
}

export const PRICES: Table<PriceRow> = {
  name: 'prices',
  columns: {
    level: asEnum8(PRICE_LEVEL),
    level_id: asText,
    llm_id: asText,
    effective_date: asMicros,
    id: asText,
    provider_id: asText,
    prompt_cost: asDecimal18,
    completion_cost: asDecimal18,
    cache_read_cost: asDecimal18,
    cache_write_cost: asDecimal18,
    prompt_unit: asText,
    completion_unit: asText,
    created_by: asText,
    source: asText,
    created_at: asMicros,
    version: asUInt64,
    is_deleted: asUInt8,
  },
};
