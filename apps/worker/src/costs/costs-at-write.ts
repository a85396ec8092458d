import { Injectable } from '@nestjs/common';
import { Store, type CallRow } from '@app/clickhouse';
import {
  costOf,
  defaultPrices,
  defaultPricesHash,
  hashOfPrices,
  PriceList,
  priceOf,
  projectPrices,
  totalOf,
  type HashedPrice,
  type Price,
  type StoredPrice,
} from '@app/pricing';
import { nowMillis, type Micros, type Millis } from '@app/wire';

/** How long prices are cached. The repricing after a change of prices waits longer than this. */
export const PRICES_FRESH_MS = 5000;
const PROJECTS_MAX = 10_000;
/** The largest that Decimal(38, 18) holds. */
const COST_MAX = 10n ** 38n - 1n;

/** The default prices, the same for all projects. */
interface Defaults {
  readonly at: Millis;
  /** Of these prices. */
  readonly hash: string;
  readonly prices: readonly Price[];
  readonly list: PriceList;
}

/** The prices of the models for which a project has set prices. */
interface OwnPrices {
  readonly at: Millis;
  readonly list: PriceList;
}

/**
 * Sets the cost of rows by current prices, for queries that read ClickHouse directly. Prices are loaded without a list of
 * models, because one project can send any number of model names.
 */
@Injectable()
export class CostsAtWrite {
  private defaults: Defaults | undefined;
  private readonly own = new Map<string, OwnPrices>();

  constructor(private readonly store: Store) {}

  async set(rows: readonly CallRow[], now = nowMillis()): Promise<void> {
    const used = rows.filter((row) => row.usage_model.length > 0);
    if (used.length === 0) return;
    const projectIds = [...new Set(used.map((row) => row.project_id))];
    // Taken now: another flush may clear the cache while this one reads.
    const own = new Map(projectIds.map((id) => [id, this.own.get(id)]));
    const missing = projectIds.filter((id) => !isFresh(own.get(id), now));
    const [defaults, stored] = await Promise.all([this.defaultsAt(now), this.pricesOf(missing)]);
    if (this.own.size >= PROJECTS_MAX) this.own.clear();
    for (const id of missing) {
      const loaded = ownPrices(id, stored, defaults, now);
      own.set(id, loaded);
      this.own.set(id, loaded);
    }
    for (const row of used) {
      const lists = { own: own.get(row.project_id)!.list, defaults: defaults.list };
      row.cost_at_write = costOfRow(row, lists);
    }
  }

  /** Loads them again only after a change: reading thousands of prices takes five times as long as their hash. */
  private async defaultsAt(now: Millis): Promise<Defaults> {
    const known = this.defaults;
    if (known && isFresh(known, now)) return known;
    const [row] = await this.store.rows<{ hash: string }>(defaultPricesHash());
    if (known?.hash === row!.hash) return (this.defaults = { ...known, at: now });
    // Not the hash that was read: prices may have changed since, and another node may have older ones.
    const stored = await this.store.rows<HashedPrice>(defaultPrices());
    const prices = stored.map(priceOf);
    const list = new PriceList(prices);
    return (this.defaults = { at: now, hash: hashOfPrices(stored), prices, list });
  }

  /** Executes at most one query for all projects. */
  private async pricesOf(projectIds: readonly string[]): Promise<readonly Price[]> {
    if (projectIds.length === 0) return [];
    return (await this.store.rows<StoredPrice>(projectPrices(projectIds))).map(priceOf);
  }
}

function ownPrices(
  projectId: string,
  stored: readonly Price[],
  { prices: defaults }: Defaults,
  at: Millis,
): OwnPrices {
  const set = stored.filter(({ levelId }) => levelId === projectId);
  const models = new Set(set.map(({ llmId }) => llmId));
  const before = set.length === 0 ? [] : defaults.filter(({ llmId }) => models.has(llmId));
  return { at, list: new PriceList([...before, ...set]) };
}

const isFresh = (cached: { readonly at: Millis } | undefined, now: Millis) =>
  cached !== undefined && now - cached.at < PRICES_FRESH_MS;

interface Lists {
  readonly own: PriceList;
  readonly defaults: PriceList;
}

const priceAt = ({ own, defaults }: Lists, model: string, startedAt: Micros) =>
  (own.timelines.has(model) ? own : defaults).at(model, startedAt);

function costOfRow(row: CallRow, lists: Lists): bigint {
  let cost = 0n;
  for (const [i, model] of row.usage_model.entries()) {
    const price = priceAt(lists, model, row.started_at);
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
