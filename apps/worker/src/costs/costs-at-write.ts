import { Injectable } from '@nestjs/common';
import { Store, type CallRow } from '@app/clickhouse';
import {
  costOf,
  PriceList,
  priceOf,
  pricesOfProjects,
  totalOf,
  type StoredPrice,
} from '@app/pricing';
import { nowMillis, type Millis } from '@app/wire';

/** How long prices are cached. The repricing after a change of prices waits longer than this. */
export const PRICES_FRESH_MS = 5000;
const PROJECTS_MAX = 10_000;
/** The largest that Decimal(38, 18) holds. */
const COST_MAX = 10n ** 38n - 1n;

interface CachedPrices {
  readonly at: number;
  readonly models: ReadonlySet<string>;
  readonly list: PriceList;
}

/** Sets the cost of rows by current prices, for queries that read ClickHouse directly. */
@Injectable()
export class CostsAtWrite {
  private readonly cache = new Map<string, CachedPrices>();

  constructor(private readonly store: Store) {}

  async set(rows: readonly CallRow[], now = nowMillis()): Promise<void> {
    const used = rows.filter((row) => row.usage_model.length > 0);
    const lists = await this.listsFor(modelsByProject(used), now);
    for (const row of used) row.cost_at_write = costOfRow(row, lists.get(row.project_id)!);
  }

  /** Executes at most one query for all projects. */
  private async listsFor(
    used: ReadonlyMap<string, ReadonlySet<string>>,
    now: Millis,
  ): Promise<Map<string, PriceList>> {
    const missing = [...used].filter(
      ([projectId, models]) => !this.isCached(projectId, models, now),
    );
    const loaded = await this.load(missing, now);
    return new Map(
      [...used.keys()].map((id) => [id, (loaded.get(id) ?? this.cache.get(id)!).list] as const),
    );
  }

  private isCached(projectId: string, models: ReadonlySet<string>, now: Millis): boolean {
    const cached = this.cache.get(projectId);
    if (cached === undefined || now - cached.at >= PRICES_FRESH_MS) return false;
    return [...models].every((model) => cached.models.has(model));
  }

  private async load(
    missing: readonly (readonly [string, ReadonlySet<string>])[],
    now: Millis,
  ): Promise<Map<string, CachedPrices>> {
    if (missing.length === 0) return new Map();
    const models = new Set(
      missing.flatMap(([id, used]) => [...used, ...(this.cache.get(id)?.models ?? [])]),
    );
    const ids = missing.map(([projectId]) => projectId);
    const rows = await this.store.rows<StoredPrice>(pricesOfProjects(ids, [...models]));
    const prices = rows.map(priceOf);
    const found = ids.map((projectId) => {
      const own = prices.filter(
        ({ level, levelId }) => level === 'default' || levelId === projectId,
      );
      return [projectId, { at: now, models, list: new PriceList(own) }] as const;
    });
    if (this.cache.size >= PROJECTS_MAX) this.cache.clear();
    for (const [projectId, cached] of found) this.cache.set(projectId, cached);
    return new Map(found);
  }
}

function modelsByProject(rows: readonly CallRow[]): Map<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  for (const { project_id, usage_model } of rows) {
    const models = used.get(project_id) ?? new Set();
    for (const model of usage_model) models.add(model);
    used.set(project_id, models);
  }
  return used;
}

function costOfRow(row: CallRow, list: PriceList): bigint {
  let cost = 0n;
  for (const [i, model] of row.usage_model.entries()) {
    const price = list.at(model, row.started_at);
    if (price === undefined) continue;
    const tokens = {
      uncached: row.usage_uncached[i]!,
      completion: row.usage_completion[i]!,
      cacheRead: row.usage_cache_read[i]!,
      cacheWrite: row.usage_cache_write[i]!,
    };
    cost += totalOf(costOf(tokens, price));
  }
  return cost > COST_MAX ? COST_MAX : cost;
}
