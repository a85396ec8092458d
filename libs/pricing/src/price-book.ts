import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HeddleError } from '@app/errors';

/** One entry of a price book: the prices of one model, per token, in US dollars. */
export interface BookPrice {
  readonly llmId: string;
  readonly providerId: string;
  readonly prompt: string;
  readonly completion: string;
  readonly cacheRead: string;
  readonly cacheWrite: string;
}

/** Prices of many models, as they were on one day. */
export interface PriceBook {
  /** Where the prices come from. */
  readonly source: string;
  /** First day on which the prices apply, such as 2026-11-15. */
  readonly effectiveDate: string;
  readonly prices: readonly BookPrice[];
}

/** A price book that cannot be read. The message states the problem. */
export class PriceBookError extends HeddleError {
  readonly code = 'invalid_price_book';
}

interface BookFile {
  readonly source?: unknown;
  readonly unit?: unknown;
  readonly effective_date?: unknown;
  readonly prices?: unknown;
}

const UNIT = 'USD per token';
const DECIMAL = /^\d{1,7}(\.\d{1,18})?$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Parses a price book. Every entry is `[model, provider, input, output, cache read, cache write]`. */
export function parsePriceBook(text: string): PriceBook {
  const file = JSON.parse(text) as BookFile;
  const { source, unit, effective_date: effectiveDate, prices } = file;
  if (typeof source !== 'string')
    throw new PriceBookError('source must be a text that names where the prices come from');
  if (unit !== UNIT)
    throw new PriceBookError(`unit must be "${UNIT}", not ${JSON.stringify(unit)}`);
  if (typeof effectiveDate !== 'string' || !DAY.test(effectiveDate)) {
    throw new PriceBookError('effective_date must be a day such as 2026-11-15');
  }
  if (!Array.isArray(prices)) throw new PriceBookError('prices must be a list');
  const entries = prices.map(bookPrice);
  const seen = new Set<string>();
  const duplicate = entries.find(({ llmId }) => seen.has(llmId) || !seen.add(llmId));
  if (duplicate) throw new PriceBookError(`${duplicate.llmId} is listed twice`);
  return { source, effectiveDate, prices: entries };
}

function bookPrice(entry: unknown, i: number): BookPrice {
  const texts = Array.isArray(entry) ? entry : [];
  if (texts.length !== 6 || !texts.every((one) => typeof one === 'string')) {
    throw new PriceBookError(`prices[${i}] must be six texts: ${COLUMNS.join(', ')}`);
  }
  const [llmId, providerId, prompt, completion, cacheRead, cacheWrite] = texts as Entry;
  const invalid = texts.slice(2).findIndex((one) => !DECIMAL.test(one));
  if (llmId === '' || invalid !== -1) {
    const problem =
      llmId === '' ? 'has no model' : `${COLUMNS[invalid + 2]} is ${texts[invalid + 2]}`;
    throw new PriceBookError(
      `prices[${i}] (${llmId}): ${problem}; a price must be a decimal and never negative`,
    );
  }
  return { llmId, providerId, prompt, completion, cacheRead, cacheWrite };
}

type Entry = [string, string, string, string, string, string];
const COLUMNS = ['model', 'provider', 'input', 'output', 'cache read', 'cache write'];

/** The price book shipped with this version. `root` is the directory of package.json. */
export function packagedPrices(root: string): PriceBook {
  return parsePriceBook(readFileSync(join(root, 'libs/pricing/default-prices.json'), 'utf8'));
}
