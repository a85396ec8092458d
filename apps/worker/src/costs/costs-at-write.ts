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

/** Prices are looked up this often. A change of prices is followed by the repricing, which waits longer than this. */
export const PRICES_FRESH_MS = 5000;
const PROJECTS_MAX = 10_000;
/** The largest that Decimal(38, 18) holds. */
const COST_MAX = 10n ** 38n - 1n;

interface Known {
  readonly at: number;
  readonly models: ReadonlySet<string>;
  readonly list: PriceList;
}

/** Puts into rows what they cost by the prices of the moment, for those who ask ClickHouse directly. */
@Injectable()
export class CostsAtWrite {
  private readonly known = new Map<string, Known>();

  constructor(private readonly store: Store) {}

  async set(rows: readonly CallRow[], now = nowMillis()): Promise<void> {
    const used = rows.filter((row) => row.usage_model.length > 0);
    const lists = await this.listsFor(modelsByProject(used), now);
    for (const row of used) row.cost_at_write = costOfRow(row, lists.get(row.project_id)!);
  }

  /** Asks at most once for all projects together. */
  private async listsFor(
    used: ReadonlyMap<string, ReadonlySet<string>>,
    now: Millis,
  ): Promise<Map<string, PriceList>> {
    const unknown = [...used].filter(([projectId, models]) => !this.knows(projectId, models, now));
    const asked = await this.ask(unknown, now);
    return new Map(
      [...used.keys()].map((id) => [id, (asked.get(id) ?? this.known.get(id)!).list] as const),
    );
  }

  private knows(projectId: string, models: ReadonlySet<string>, now: Millis): boolean {
    const known = this.known.get(projectId);
    if (known === undefined || now - known.at >= PRICES_FRESH_MS) return false;
    return [...models].every((model) => known.models.has(model));
  }

  private async ask(
    unknown: readonly (readonly [string, ReadonlySet<string>])[],
    now: Millis,
  ): Promise<Map<string, Known>> {
    if (unknown.length === 0) return new Map();
    const models = new Set(
      unknown.flatMap(([id, some]) => [...some, ...(this.known.get(id)?.models ?? [])]),
    );
    const ids = unknown.map(([projectId]) => projectId);
    const rows = await this.store.rows<StoredPrice>(pricesOfProjects(ids, [...models]));
    const prices = rows.map(priceOf);
    const found = ids.map((projectId) => {
      const own = prices.filter(
        ({ level, levelId }) => level === 'default' || levelId === projectId,
      );
      return [projectId, { at: now, models, list: new PriceList(own) }] as const;
    });
    if (this.known.size >= PROJECTS_MAX) this.known.clear();
    for (const [projectId, known] of found) this.known.set(projectId, known);
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
