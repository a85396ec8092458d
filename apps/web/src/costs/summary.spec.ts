import type { CostRow } from './costs-api.js';
import { currentPeriod, periodBefore, periodOfStep, PERIODS, stepsOf } from './period.js';
import { changeOf, columnOf, OTHERS, stacksOf, totalsOf } from './summary.js';

const row = (fields: object): CostRow => ({
  ...{ calls: 1, requests: 1, uncached_input_tokens: 1, cache_read_input_tokens: 0 },
  ...{ cache_creation_input_tokens: 0, output_tokens: 1, total_tokens: 2, unpriced_tokens: 0 },
  ...{ total_cost: '1', unit: 'USD', pricing: 'full' as const },
  ...fields,
});

describe('a summary of costs', () => {
  it('sums each currency for itself, and counts tokens without a price', () => {
    const rows = [
      row({ total_cost: '0.1' }),
      row({ total_cost: '0.2' }),
      row({ total_cost: '5', unit: 'EUR' }),
      row({ total_cost: null, unit: null, pricing: 'none', unpriced_tokens: 2 }),
    ];

    expect(totalsOf(rows)).toEqual({
      costs: new Map([
        ['USD', '0.3'],
        ['EUR', '5'],
      ]),
      tokens: 8,
      unpricedTokens: 2,
    });
  });

  it('compares with the costs before, where there were some', () => {
    expect(changeOf('3', '2')).toBe(0.5);
    expect([changeOf('3', '0'), changeOf('3', undefined), changeOf(null, '2')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('stacks the most expensive groups and the sum of the others, also where a day has none', () => {
    const rows = Array.from({ length: 9 }, (_, n) =>
      row({ day: '2026-03-01', model: `m${n}`, total_cost: String(n + 1) }),
    );
    const columns = { step: 'day', group: 'model' };
    const { series, stacks } = stacksOf(rows, ['2026-03-01', '2026-03-02'], columns);

    expect(series).toEqual(['m8', 'm7', 'm6', 'm5', 'm4', 'm3', 'm2', OTHERS]);
    expect(stacks.map(({ costs }) => costs)).toEqual([
      ['9', '8', '7', '6', '5', '4', '3', '3'],
      ['0', '0', '0', '0', '0', '0', '0', '0'],
    ]);
  });

  it('finds the column of a path', () => {
    expect([columnOf('model'), columnOf('attributes.team')]).toEqual(['model', 'attribute_1']);
  });
});

describe('a period', () => {
  const now = Date.UTC(2026, 2, 8, 12, 0, 30);

  it('is followed by the present and preceded by one of the same length', () => {
    const week = currentPeriod(PERIODS[1], now);

    expect(week).toEqual({ start: '2026-03-01T12:01:00.000Z', end: '2026-03-08T12:01:00.000Z' });
    expect(periodBefore(week)).toEqual({ start: '2026-02-22T12:01:00.000Z', end: week.start });
  });

  it('has the part of it that a step of the chart stands for', () => {
    const week = currentPeriod(PERIODS[1], now);
    const [first, second] = stepsOf(week, 'day') as [string, string];

    expect(periodOfStep(week, first).start).toBe(week.start);
    expect(periodOfStep(week, first).end).toBe(periodOfStep(week, second).start);
    expect(periodOfStep(week, 'nonsense')).toEqual(week);
  });

  it('has every day or hour, also those that it has a part of', () => {
    expect(stepsOf(currentPeriod(PERIODS[1], now), 'day')).toHaveLength(8);
    expect(stepsOf(currentPeriod(PERIODS[0], now), 'hour')).toHaveLength(25);
  });
});
