import fc from 'fast-check';
import { micros } from '@app/wire';
import { decimalOf, unitsOf } from './decimal.js';
import type { Price } from './price.js';
import { PriceList } from './price-list.js';

const aPrice = (fields: Partial<Price> = {}): Price => ({
  id: 'p',
  level: 'default',
  levelId: 'default',
  llmId: 'm',
  providerId: 'x',
  effectiveDate: micros(10),
  prompt: '0',
  completion: '0',
  cacheRead: '0',
  cacheWrite: '0',
  promptUnit: 'USD',
  completionUnit: 'USD',
  createdBy: '',
  createdAt: micros(0),
  ...fields,
});

/** The rule of the wire contract: sort all prices and use the first. */
function best(prices: readonly Price[], startedAt: number): Price | undefined {
  const rank = ({ effectiveDate, level, createdAt }: Price) => [
    effectiveDate <= startedAt ? 0 : 1,
    level === 'project' ? 0 : 1,
    0 - effectiveDate,
    0 - createdAt,
  ];
  const compare = (a: Price, b: Price) =>
    rank(a)
      .map((value, i) => value - rank(b)[i]!)
      .find((difference) => difference !== 0) ?? 0;
  return [...prices].sort(compare)[0];
}

describe('the price of a model at a time', () => {
  const own = { level: 'project', levelId: 'acme/demo' } as const;

  it.each([
    ['is the default in force when the price of the project is in the future', 20, 'default'],
    ['is the price of the project in force, even when a default is newer', 40, 'own'],
    ['is the price of the project when no price is in force yet', 5, 'own'],
  ])('%s', (_, startedAt, id) => {
    const prices = [
      aPrice({ id: 'default', effectiveDate: micros(10) }),
      aPrice({ id: 'own', ...own, effectiveDate: micros(30) }),
      aPrice({ id: 'newer', effectiveDate: micros(35) }),
    ];
    expect(new PriceList(prices).at('m', micros(startedAt))?.id).toBe(id);
  });

  it('is unknown for a model without prices', () => {
    expect(new PriceList([aPrice()]).at('other', micros(10))).toBeUndefined();
  });

  it('is the first by the rule of the wire contract, for any history of prices', () => {
    const price = fc.record({
      level: fc.constantFrom('project' as const, 'default' as const),
      effectiveDate: fc.integer({ min: 1, max: 8 }).map(micros),
    });
    fc.assert(
      fc.property(
        fc.array(price),
        fc.integer({ min: 1, max: 9 }).map(micros),
        (some, startedAt) => {
          const prices = some.map((fields, i) =>
            aPrice({ ...fields, id: `${i}`, createdAt: micros(i) }),
          );
          expect(new PriceList(prices).at('m', startedAt)).toBe(best(prices, startedAt));
        },
      ),
    );
  });
});

describe('an amount of money', () => {
  it('keeps every decimal place of its text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (units) => {
        expect(unitsOf(decimalOf(units))).toBe(units);
      }),
    );
    expect(decimalOf(unitsOf('0.000030'))).toBe('0.00003');
    expect(() => unitsOf('1e-7')).toThrow('not a decimal');
  });
});
