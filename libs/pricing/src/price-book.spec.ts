import { micros } from '@app/wire';
import { packagedPrices, parsePriceBook } from './price-book.js';
import { dayOf, priceChanges } from './price-changes.js';
import type { Price } from './price.js';

const line = (model: string, input = '0.001') => [model, 'p', input, '0.002', '0', '0'];
const book = (prices: unknown, more: object = {}) =>
  parsePriceBook(
    JSON.stringify({
      source: 'test',
      unit: 'USD per token',
      effective_date: '2026-12-01',
      prices,
      ...more,
    }),
  );
const stored = (llmId: string, prompt: string, effectiveDate: string): Price => ({
  id: llmId,
  level: 'default',
  levelId: 'default',
  llmId,
  providerId: 'p',
  effectiveDate: micros(Date.parse(effectiveDate) * 1000),
  prompt,
  completion: '0.002',
  cacheRead: '0',
  cacheWrite: '0',
  promptUnit: 'USD',
  completionUnit: 'USD',
  createdBy: '',
  createdAt: micros(0),
});

describe('a price book', () => {
  it.each([
    [[line('')], {}, 'no model'],
    [[line('m', '-1')], {}, 'never negative'],
    [[line('m', '1e-7')], {}, 'input is 1e-7'],
    [[['m']], {}, 'six texts'],
    [[line('m'), line('m')], {}, 'twice'],
    [[], { unit: 'USD per million' }, 'unit'],
    [[], { effective_date: 'soon' }, 'effective_date'],
    ['x', {}, 'list'],
  ])('is refused: %j %j', (prices, more, why) => {
    expect(() => book(prices, more)).toThrow(why);
  });

  it('is packaged with a source, a date and plausible prices', () => {
    const { source, effectiveDate, prices } = packagedPrices(process.cwd());

    expect(source).toContain('litellm package');
    expect(effectiveDate).toMatch(/^2026-/);
    expect(prices.length).toBeGreaterThan(3000);
    const most = prices.reduce(
      (max, { prompt, completion }) => Math.max(max, +prompt, +completion),
      0,
    );
    expect(most).toBeLessThan(0.05);
    expect(prices.find(({ llmId }) => llmId === 'gpt-4o')).toMatchObject({ providerId: 'openai' });
  });
});

describe('the difference between a price book and the defaults', () => {
  const changes = (prices: unknown, defaults: Price[]) => priceChanges(book(prices), defaults);

  it('is every price that differs from the defaults of its effective date', () => {
    const defaults = [
      stored('same', '0.0010', '2026-01-01'),
      stored('raised', '0.0005', '2026-01-01'),
      stored('later', '0.5', '2027-01-01'),
      stored('later', '0.001', '2026-01-01'),
    ];
    const lines = ['same', 'raised', 'later', 'new'].map((model) => line(model));
    const found = changes(lines, defaults);

    expect(found.map(({ after, before, jumps }) => [after.llmId, before?.prompt, jumps])).toEqual([
      ['raised', '0.0005', []],
      ['new', undefined, []],
    ]);
    expect(dayOf(book([]))).toBe(Date.UTC(2026, 11, 1) * 1000);
  });

  it.each([
    ['0.01', []],
    ['0.0101', ['prompt']],
    ['0.00009', ['prompt']],
    ['0', ['prompt']],
  ])('reports a jump for more than a tenfold change: 0.001 to %s', (after, jumps) => {
    const [change] = changes([line('m', after)], [stored('m', '0.001', '2026-01-01')]);
    expect(change?.jumps).toEqual(jumps);
  });
});
