import { perMillion, perToken, priceHistory, segmentsWithin } from './price-history.js';
import type { StoredPrice } from './prices-api.js';

const price = (id: string, pricing_level: 'project' | 'default', effective_date: string) =>
  ({ id, pricing_level, effective_date, created_at: id }) as StoredPrice;
const statesOf = (prices: readonly StoredPrice[]) =>
  priceHistory(prices, '2026-03-01').map(({ price: { id }, state }) => `${id} ${state}`);

describe('the history of the prices of a model', () => {
  it('ends the default prices where the first one of the project begins', () => {
    expect(
      statesOf([
        price('default-1', 'default', '2025-01-01'),
        price('default-2', 'default', '2026-02-01'),
        price('own', 'project', '2026-01-01'),
        price('next', 'project', '2026-04-01'),
      ]),
    ).toEqual(['next future', 'default-2 never', 'own in force', 'default-1 past']);
  });

  it('applies the newest price while none is in force yet', () => {
    expect(
      statesOf([
        price('default', 'default', '2027-01-01'),
        price('own', 'project', '2028-01-01'),
        price('own-2', 'project', '2029-01-01'),
      ]),
    ).toEqual(['own-2 in force', 'own future', 'default future']);
  });

  it('says that of two prices of one date the last one counts', () => {
    expect(
      statesOf([price('a', 'project', '2026-01-01'), price('b', 'project', '2026-01-01')]),
    ).toEqual(['b in force', 'a never']);
  });

  it('is cut at the ends of a period', () => {
    const prices = [price('own', 'project', '2026-03-02'), price('d', 'default', '2025-01-01')];
    const period = { start: '2026-03-01', end: '2026-03-03' };

    expect(
      segmentsWithin(prices, period).map(({ price: { id }, start, end }) => [id, start, end]),
    ).toEqual([
      ['d', '2026-03-01', '2026-03-02'],
      ['own', '2026-03-02', '2026-03-03'],
    ]);
    expect(segmentsWithin([price('own', 'project', '2027-01-01')], period)).toMatchObject([period]);
  });
});

describe('a price per million tokens', () => {
  it.each([
    ['0.0000025', '2.5'],
    ['0.000000000000000001', '0.000000000001'],
    ['0.00001', '10'],
    ['1', '1000000'],
    ['0', '0'],
  ])('of %s is %s, and back', (token, million) => {
    expect(perMillion(token)).toBe(million);
    expect(perToken(million)).toBe(Number(token));
  });
});
