import { micros, type Micros } from '@app/wire';
import type { Price } from './price.js';

/** A price and the time from which it applies. It applies until the next segment starts. */
export interface Segment {
  readonly from: Micros;
  readonly price: Price;
}

/** Earlier than any call. */
const BEGINNING = micros(0);

/**
 * The prices of one model over time. A price in force has precedence over a future one, then a project's price over a
 * default, then the newest. So the defaults end when the project's first price starts. Before any price is in force, the
 * project's newest price applies, or the newest default.
 */
function timelineOf(prices: readonly Price[]): Segment[] {
  const own = prices.filter(({ level }) => level === 'project').sort(byDate);
  const defaults = prices.filter(({ level }) => level === 'default').sort(byDate);
  const firstOwn = own[0]?.effectiveDate ?? Infinity;
  const inForce = [...defaults.filter((one) => one.effectiveDate < firstOwn), ...own];
  const initial = own.at(-1) ?? defaults.at(-1);
  if (initial === undefined) return [];
  const segments = inForce.map((price) => ({ from: price.effectiveDate, price }));
  const isConstant = segments.every(({ price }) => price === initial);
  return [{ from: BEGINNING, price: initial }, ...(isConstant ? [] : segments)];
}

/** Sorts by effective date; of prices with the same date, the one set last comes last and wins. */
function byDate(a: Price, b: Price): number {
  return a.effectiveDate - b.effectiveDate || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

/** Finds the price of a model at a time. */
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

  at(model: string, startedAt: Micros): Price | undefined {
    return this.timelines.get(model)?.findLast(({ from }) => from <= startedAt)?.price;
  }
}
