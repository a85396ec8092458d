import { atMillis, bind, join, raw, sql, type Sql, type Store } from '@app/clickhouse';
import { PricedSql, type PriceList } from '@app/pricing';
import type { Millis } from '@app/wire';

export interface WhatIf {
  readonly calls: number;
  /** Decimals. */
  readonly before: string;
  readonly after: string;
}

/** The costs of a model's usage with two price lists. Only root calls and spans count, so that usage counts once. */
export async function readWhatIf(
  store: Store,
  projectId: string,
  model: string,
  from: Millis,
  [before, after]: readonly [PriceList, PriceList],
): Promise<WhatIf> {
  const name = bind('String', model);
  type Row = { calls: number | string; before: string; after: string };
  const [row] =
    await store.rows<Row>(sql`SELECT count() AS calls, toString(sum(${costBy(before)})) AS before,
  toString(sum(${costBy(after)})) AS after
FROM (SELECT started_at, usage_model, usage_uncached, usage_completion, usage_cache_read, usage_cache_write
  FROM calls FINAL PREWHERE project_id = ${bind('String', projectId)}
  WHERE has(usage_model, ${name}) AND (parent_id = '' OR otel_dump != '')
    AND started_at >= ${atMillis(from)})
ARRAY JOIN usage_model AS model, usage_uncached AS uncached, usage_completion AS completion,
  usage_cache_read AS cache_read, usage_cache_write AS cache_write
WHERE model = ${name}`);
  return { calls: Number(row?.calls ?? 0), before: row?.before ?? '0', after: row?.after ?? '0' };
}

function costBy(list: PriceList): Sql {
  const priced = new PricedSql(list);
  const number = priced.priceIndex(raw('model'), raw('started_at'));
  const parts = [
    priced.cost('prompt', raw('uncached'), number),
    priced.cost('completion', raw('completion'), number),
    priced.cost('cacheRead', raw('cache_read'), number),
    priced.cost('cacheWrite', raw('cache_write'), number),
  ];
  return join(parts, ' + ');
}
