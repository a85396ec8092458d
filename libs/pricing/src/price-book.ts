import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line of a price book: what one model costs per token, in US dollars. */
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
  /** Where the figures were taken from. */
  readonly source: string;
  /** The day from which they hold, such as 2026-11-15. */
  readonly effectiveDate: string;
  readonly prices: readonly BookPrice[];
}

/** What is wrong with a price book. */
export class PriceBookError extends Error {
  override readonly name = 'PriceBookError';
}

interface BookFile {
  readonly source?: unknown;
  readonly unit?: unknown;
  readonly effective_date?: unknown;
  readonly prices?: unknown;
}

export const UNIT = 'USD per token';
const DECIMAL = /^\d{1,7}(\.\d{1,18})?$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** A book from its JSON text. Every line is `[model, provider, input, output, cache read, cache write]`. */
export function parsePriceBook(text: string): PriceBook {
  const file = JSON.parse(text) as BookFile;
  const { source, unit, effective_date: effectiveDate, prices } = file;
  if (typeof source !== 'string') throw new PriceBookError('source must say where it is from');
  if (unit !== UNIT)
    throw new PriceBookError(`unit must be "${UNIT}", not ${JSON.stringify(unit)}`);
  if (typeof effectiveDate !== 'string' || !DAY.test(effectiveDate)) {
    throw new PriceBookError('effective_date must be a day such as 2026-11-15');
  }
  if (!Array.isArray(prices)) throw new PriceBookError('prices must be a list');
  const lines = prices.map(bookPrice);
  const seen = new Set<string>();
  const twice = lines.find(({ llmId }) => seen.has(llmId) || !seen.add(llmId));
  if (twice) throw new PriceBookError(`${twice.llmId} stands in it twice`);
  return { source, effectiveDate, prices: lines };
}

function bookPrice(line: unknown, i: number): BookPrice {
  const texts = Array.isArray(line) ? line : [];
  if (texts.length !== 6 || !texts.every((one) => typeof one === 'string')) {
    throw new PriceBookError(`prices[${i}] must be six texts: ${COLUMNS.join(', ')}`);
  }
  const [llmId, providerId, prompt, completion, cacheRead, cacheWrite] = texts as Line;
  const wrong = texts.slice(2).findIndex((one) => !DECIMAL.test(one));
  if (llmId === '' || wrong !== -1) {
    const what = llmId === '' ? 'has no model' : `${COLUMNS[wrong + 2]} is ${texts[wrong + 2]}`;
    throw new PriceBookError(
      `prices[${i}] (${llmId}): ${what}; a price is a decimal, never negative`,
    );
  }
  return { llmId, providerId, prompt, completion, cacheRead, cacheWrite };
}

type Line = [string, string, string, string, string, string];
export const COLUMNS = ['model', 'provider', 'input', 'output', 'cache read', 'cache write'];

/** The book that comes with this version. `root` is the directory of the package. */
export function packagedPrices(root: string): PriceBook {
  return parsePriceBook(readFileSync(join(root, 'libs/pricing/default-prices.json'), 'utf8'));
}
