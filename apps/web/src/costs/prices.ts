import type { Price } from './costs-api.js';
import type { Period } from './period.js';

/** The prices of the level that counts which were in force at some time of the period, the newest first. */
export function pricesWithin(prices: readonly Price[], { start, end }: Period): readonly Price[] {
  const known = prices.filter(({ effective_date }) => effective_date < end);
  const own = known.filter(({ pricing_level }) => pricing_level !== 'default');
  const used = own.length > 0 ? own : known;
  const isWithin = used.filter(({ effective_date }) => effective_date > start);
  const before = used.find(({ effective_date }) => effective_date <= start);
  // Before the first price of the project the default one counts.
  const fallback = known.find(
    ({ pricing_level, effective_date }) =>
      pricing_level === 'default' && effective_date <= start && own.length > 0,
  );
  const first = before ?? fallback;
  return first === undefined ? isWithin : [...isWithin, first];
}
