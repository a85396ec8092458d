import type { Price } from './price.js';

/** A price, and from when it holds (microseconds); until the next one does. */
export interface Segment {
  readonly from: number;
  readonly price: Price;
}

/** Before every call there can be. */
const BEGINNING = 0;

/**
 * The prices of one model over all time. A price in force goes before one that is still to come, then the project's own
 * before the default, then the newest. So a project's first price ends the defaults; and before any price is in force,
 * the project's newest holds, or the newest default.
 */
export function timelineOf(prices: readonly Price[]): Segment[] {
  const own = prices.filter(({ level }) => level === 'project').sort(byDate);
  const defaults = prices.filter(({ level }) => level === 'default').sort(byDate);
  const firstOwn = own[0]?.effectiveDate ?? Infinity;
  const steps = [...defaults.filter((one) => one.effectiveDate < firstOwn), ...own];
  const early = own.at(-1) ?? defaults.at(-1);
  if (early === undefined) return [];
  const later = steps.map((price) => ({ from: price.effectiveDate, price }));
  const isSteady = later.every(({ price }) => price === early);
  return [{ from: BEGINNING, price: early }, ...(isSteady ? [] : later)];
}

/** Of prices with one date the one that was set last counts. */
function byDate(a: Price, b: Price): number {
  return a.effectiveDate - b.effectiveDate || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

/** Which price holds for a model at a moment. */
export class PriceList {
  readonly timelines: ReadonlyMap<string, readonly Segment[]>;

  constructor(prices: readonly Price[]) {
    const byModel = new Map<string, Price[]>();
    for (const price of prices) {
      const known = byModel.get(price.llmId);
      if (known) known.push(price);
      else byModel.set(price.llmId, [price]);
    }
    this.timelines = new Map([...byModel].map(([model, some]) => [model, timelineOf(some)]));
  }

  /** `startedAt` in microseconds. */
  at(model: string, startedAt: number): Price | undefined {
    return this.timelines.get(model)?.findLast(({ from }) => from <= startedAt)?.price;
  }
}
