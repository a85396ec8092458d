import { and, bind, DEFAULT_LEVEL_ID, sql, type Sql } from '@app/clickhouse';
import { micros } from '@app/wire';
import type { Price } from './price.js';

/** A price as ClickHouse returns it. Numbers may be text. */
export interface StoredPrice {
  readonly id: string;
  readonly level: 'project' | 'default';
  readonly level_id: string;
  readonly llm_id: string;
  readonly provider_id: string;
  readonly effective: number | string;
  readonly prompt: string;
  readonly completion: string;
  readonly cache_read: string;
  readonly cache_write: string;
  readonly prompt_unit: string;
  readonly completion_unit: string;
  readonly created_by: string;
  readonly created: number | string;
}

const COLUMNS = sql`id, toString(prices.level) AS level, level_id, llm_id, provider_id,
  toUnixTimestamp64Micro(effective_date) AS effective, toString(prompt_cost) AS prompt,
  toString(completion_cost) AS completion, toString(cache_read_cost) AS cache_read,
  toString(cache_write_cost) AS cache_write, prompt_unit, completion_unit, created_by,
  toUnixTimestamp64Micro(prices.created_at) AS created`;

/** The prices that may apply in a project: its own and the defaults, of these models or of all. */
export function pricesFor(projectId: string, models?: readonly string[]): Sql {
  const ofModels = models && sql`llm_id IN ${bind('Array(String)', models)}`;
  return sql`SELECT ${COLUMNS} FROM prices FINAL WHERE ${and([sql`((${ownOf([projectId])}) OR (${DEFAULTS}))`, ofModels])}`;
}

/** As `pricesFor`, for the models that a subquery returns. On a cluster the subquery runs once, not on every shard. */
export function pricesOfUsed(projectId: string, models: Sql): Sql {
  return sql`${pricesFor(projectId)} AND llm_id GLOBAL IN (${models})`;
}

/** The prices that these projects have set; `level_id` names the project of a price. */
export const projectPrices = (projectIds: readonly string[]): Sql =>
  sql`SELECT ${COLUMNS} FROM prices FINAL WHERE ${ownOf(projectIds)}`;

const ownOf = (projectIds: readonly string[]) =>
  sql`prices.level = 'project' AND level_id IN ${bind('Array(String)', projectIds)}`;

const DEFAULTS = sql`prices.level = 'default' AND level_id = ${bind('String', DEFAULT_LEVEL_ID)}`;

/** A default price with a hash of all its columns. */
export interface HashedPrice extends StoredPrice {
  readonly row_hash: string;
}

export const defaultPrices = (): Sql =>
  sql`SELECT ${COLUMNS}, toString(cityHash64(*)) AS row_hash FROM prices FINAL WHERE ${DEFAULTS}`;

/** A number of the default prices that is another one after every change of them. */
export const defaultPricesHash = (): Sql =>
  sql`SELECT toString(sum(cityHash64(*)) + count()) AS hash FROM prices FINAL WHERE ${DEFAULTS}`;

/** What `defaultPricesHash` returns for these prices. */
export function hashOfPrices(prices: readonly HashedPrice[]): string {
  const sum = prices.reduce((total, { row_hash }) => total + BigInt(row_hash), 0n);
  return BigInt.asUintN(64, sum + BigInt(prices.length)).toString();
}

export function priceOf(row: StoredPrice): Price {
  return {
    id: row.id,
    level: row.level,
    levelId: row.level_id,
    llmId: row.llm_id,
    providerId: row.provider_id,
    effectiveDate: micros(Number(row.effective)),
    prompt: row.prompt,
    completion: row.completion,
    cacheRead: row.cache_read,
    cacheWrite: row.cache_write,
    promptUnit: row.prompt_unit,
    completionUnit: row.completion_unit,
    createdBy: row.created_by,
    createdAt: micros(Number(row.created)),
  };
}
