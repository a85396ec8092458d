import { whatIfOf } from './what-if.js';

const row = (fields: object) => ({
  ...{ model: 'm', calls: '2', tokens: '10', unit_now: 'USD', unit_then: 'USD' },
  ...{ cost_now: '0.1', cost_then: '0.3' },
  ...fields,
});

describe('what if', () => {
  it('adds decimals without rounding, per model and in total', () => {
    const { models, totals } = whatIfOf(
      [row({}), row({ model: 'n', cost_now: '0.2', cost_then: '0' })],
      ['m', 'n', 'unused'],
    );

    expect(totals).toEqual([{ unit: 'USD', cost_now: '0.3', would_cost: '0.3', difference: '0' }]);
    expect(models.map(({ model, calls }) => [model, calls])).toEqual([
      ['m', 2],
      ['n', 2],
      ['unused', 0],
    ]);
    expect(models[0]!.costs[0]!.difference).toBe('0.2');
    expect(models[2]!.costs).toEqual([]);
  });

  it('never adds different currencies, and names usage without a price', () => {
    const { models, totals } = whatIfOf(
      [row({ unit_now: '', cost_now: '0', unit_then: 'EUR' }), row({})],
      ['m'],
    );

    expect(totals).toEqual([
      { unit: 'EUR', cost_now: '0', would_cost: '0.3', difference: '0.3' },
      { unit: 'USD', cost_now: '0.1', would_cost: '0.3', difference: '0.2' },
    ]);
    expect(models[0]).toMatchObject({ unpriced_tokens_now: 10, unpriced_tokens_then: 0 });
  });
});
