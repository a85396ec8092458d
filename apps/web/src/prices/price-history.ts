import type { StoredPrice } from './prices-api.js';

/** A price and the time in which it counts. */
export interface PriceSegment {
  readonly price: StoredPrice;
  /** Undefined when it counts from the beginning. */
  readonly from: string | undefined;
  /** Undefined when it counts to the end. */
  readonly until: string | undefined;
}

type Dated = Pick<StoredPrice, 'id' | 'effective_date' | 'created_at'>;

/**
 * Which price of one model counts when, the oldest first. The rules are those of the server: a price of the project replaces the
 * default ones from its date on; before any price is in force, the newest one of the project counts, or the newest default.
 */
function priceSegments(prices: readonly StoredPrice[]): PriceSegment[] {
  const own = prices.filter(({ pricing_level }) => pricing_level === 'project').sort(byDate);
  const defaults = prices.filter(({ pricing_level }) => pricing_level === 'default').sort(byDate);
  const firstOwn = own[0]?.effective_date;
  const dated = [
    ...defaults.filter(({ effective_date }) => firstOwn === undefined || effective_date < firstOwn),
    ...own,
  ];
  const initial = own.at(-1) ?? defaults.at(-1);
  if (initial === undefined) return [];
  if (dated.every((price) => price === initial))
    return [{ price: initial, from: undefined, until: undefined }];
  const segments = [{ price: initial, from: undefined }, ...dated.map(startOf)];
  return segments
    .map((segment, i) => ({ ...segment, until: segments[i + 1]?.from }))
    .filter(({ from, until }) => from === undefined || from !== until);
}

const startOf = (price: StoredPrice) => ({ price, from: price.effective_date });

/** The segments within a range of time, cut at its ends. */
export function segmentsWithin(
  prices: readonly StoredPrice[],
  { start, end }: { readonly start: string; readonly end: string },
): (PriceSegment & { readonly start: string; readonly end: string })[] {
  return priceSegments(prices)
    .map((segment) => ({
      ...segment,
      start: segment.from !== undefined && at(segment.from) > at(start) ? segment.from : start,
      end: segment.until !== undefined && at(segment.until) < at(end) ? segment.until : end,
    }))
    .filter((segment) => at(segment.start) < at(segment.end));
}

const at = (time: string) => Date.parse(time);

type PriceState = 'past' | 'in force' | 'future' | 'never';

export interface PricePeriod extends PriceSegment {
  readonly state: PriceState;
}

/** Every price of a model with the time in which it counts, the newest first. One that another replaces never counts. */
export function priceHistory(prices: readonly StoredPrice[], now: string): PricePeriod[] {
  const segments = priceSegments(prices);
  return [...prices]
    .sort(byDate)
    .reverse()
    .map((price): PricePeriod => {
      const own = segments.filter((segment) => segment.price === price);
      const current = own.find((segment) => isWithin(segment, now));
      const shown = current ?? own.at(-1);
      if (shown === undefined) return { price, from: undefined, until: undefined, state: 'never' };
      const isFuture = shown.from !== undefined && at(shown.from) > at(now);
      return { ...shown, state: current ? 'in force' : isFuture ? 'future' : 'past' };
    });
}

const isWithin = ({ from, until }: PriceSegment, now: string) =>
  (from === undefined || at(from) <= at(now)) && (until === undefined || at(until) > at(now));

function byDate(a: Dated, b: Dated): number {
  const keys = ({ effective_date, created_at, id }: Dated) => [effective_date, created_at, id];
  const [left, right] = [keys(a), keys(b)];
  const differing = left.findIndex((key, i) => key !== right[i]);
  return differing === -1 ? 0 : left[differing]! < right[differing]! ? -1 : 1;
}

/** A price per token as one per million, by moving the point: a multiplication would round. */
export function perMillion(perToken: string): string {
  const [whole = '0', fraction = ''] = perToken.split('.');
  const digits = fraction.padEnd(6, '0');
  const moved = `${whole}${digits.slice(0, 6)}`.replace(/^0+(?=\d)/, '');
  const rest = digits.slice(6).replace(/0+$/, '');
  return rest === '' ? moved : `${moved}.${rest}`;
}

/** The other way round. The exponent keeps the decimal exact, which a division would not. */
export const perToken = (text: string): number => Number(`${text.trim() || '0'}e-6`);
