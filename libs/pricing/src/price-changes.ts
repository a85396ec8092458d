import { microsOf, millis, type Micros } from '@app/wire';
import type { BookPrice, PriceBook } from './price-book.js';
import { unitsOf } from './decimal.js';
import { PriceList } from './price-list.js';
import type { Price } from './price.js';

const FIGURES = ['prompt', 'completion', 'cacheRead', 'cacheWrite'] as const;
type Figure = (typeof FIGURES)[number];

/** A price that differs between a price book and the stored defaults. */
export interface PriceChange {
  /** The default price on the book's effective date; undefined when the model had none. */
  readonly before: Price | undefined;
  readonly after: BookPrice;
  /** Figures that grew more than tenfold or fell below a tenth. */
  readonly jumps: readonly Figure[];
}

export const dayOf = ({ effectiveDate }: PriceBook): Micros =>
  microsOf(millis(Date.parse(effectiveDate)));

/** The prices of a book that differ from the defaults of its effective date. */
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

/** A change from or to zero is a jump as well. */
function isJump(before: string, after: string): boolean {
  const [a, b] = [unitsOf(before), unitsOf(after)];
  return a === 0n || b === 0n ? a !== b : a > 10n * b || b > 10n * a;
}
