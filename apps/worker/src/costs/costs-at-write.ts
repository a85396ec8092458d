import { Injectable } from '@nestjs/common';
import { Store, type CallRow } from '@app/clickhouse';
import {
  costOf,
  defaultPrices,
  PriceList,
  priceOf,
  projectPrices,
  totalOf,
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
    const defaults = await this.defaultsAt(now);
    const own = await this.ownOf([...new Set(used.map((row) => row.project_id))], defaults, now);
    for (const row of used) {
      const lists = { own: own.get(row.project_id)!.list, defaults: defaults.list };
      row.cost_at_write = costOfRow(row, lists);
    }
  }

  private async defaultsAt(now: Millis): Promise<Defaults> {
    if (this.defaults !== undefined && isFresh(this.defaults, now)) return this.defaults;
    const prices = (await this.store.rows<StoredPrice>(defaultPrices())).map(priceOf);
    return (this.defaults = { at: now, prices, list: new PriceList(prices) });
  }

  /** Executes at most one query for all projects. */
  private async ownOf(
    projectIds: readonly string[],
    defaults: Defaults,
    now: Millis,
  ): Promise<ReadonlyMap<string, OwnPrices>> {
    const known = new Map<string, OwnPrices>();
    const missing: string[] = [];
    for (const id of projectIds) {
      const own = this.own.get(id);
      if (own !== undefined && isFresh(own, now)) known.set(id, own);
      else missing.push(id);
    }
    for (const [id, own] of await this.load(missing, defaults, now)) known.set(id, own);
    return known;
  }

  private async load(
    projectIds: readonly string[],
    { prices: defaults }: Defaults,
    now: Millis,
  ): Promise<readonly (readonly [string, OwnPrices])[]> {
    if (projectIds.length === 0) return [];
    const rows = await this.store.rows<StoredPrice>(projectPrices(projectIds));
    const prices = rows.map(priceOf);
    const loaded = projectIds.map((id) => {
      const set = prices.filter(({ levelId }) => levelId === id);
      const models = new Set(set.map(({ llmId }) => llmId));
      const before = set.length === 0 ? [] : defaults.filter(({ llmId }) => models.has(llmId));
      return [id, { at: now, list: new PriceList([...before, ...set]) }] as const;
    });
    if (this.own.size >= PROJECTS_MAX) this.own.clear();
    for (const [id, own] of loaded) this.own.set(id, own);
    return loaded;
  }
}

const isFresh = ({ at }: { readonly at: Millis }, now: Millis) => now - at < PRICES_FRESH_MS;

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
