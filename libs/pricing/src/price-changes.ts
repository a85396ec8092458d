import type { BookPrice, PriceBook } from './price-book.js';
import { unitsOf } from './decimal.js';
import { PriceList } from './price-list.js';
import type { Price } from './price.js';

export const FIGURES = ['prompt', 'completion', 'cacheRead', 'cacheWrite'] as const;
export type Figure = (typeof FIGURES)[number];

/** What a book says anew about a model. */
export interface PriceChange {
  /** The default that held on the book's day; undefined for a model that had none. */
  readonly before: Price | undefined;
  readonly after: BookPrice;
  /** Figures that are more than ten times what they were, or less than a tenth. */
  readonly jumps: readonly Figure[];
}

export const dayOf = ({ effectiveDate }: PriceBook): number => Date.parse(effectiveDate) * 1000;

/** The models whose price is not what the defaults say for the book's day. */
export function priceChanges(book: PriceBook, defaults: readonly Price[]): PriceChange[] {
  const list = new PriceList(defaults);
  return book.prices.flatMap((after) => {
    const before = list.at(after.llmId, dayOf(book));
    if (before && FIGURES.every((figure) => unitsOf(before[figure]) === unitsOf(after[figure]))) {
      return [];
    }
    return [
      {
        before,
        after,
        jumps: FIGURES.filter((figure) => before && isJump(before[figure], after[figure])),
      },
    ];
  });
}

/** A price that was free, or becomes free, has jumped as well. */
function isJump(before: string, after: string): boolean {
  const [a, b] = [unitsOf(before), unitsOf(after)];
  return a === 0n || b === 0n ? a !== b : a > 10n * b || b > 10n * a;
}
