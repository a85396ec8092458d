import { errorRate, tokensOf, wholeBucket, type CallStats } from './stats-api.js';

const DAY = 86_400;

describe('statistics', () => {
  it('have one bucket for a whole period, whenever it is', () => {
    for (let day = 18_000; day < 22_000; day += 13) {
      for (const days of [1, 7, 30]) {
        const [start, end] = [day * DAY + 50_000, (day + days) * DAY + 50_000];
        const width = wholeBucket(start, end);
        for (const offset of [-12, 0, 14]) {
          const bucketOf = (at: number) => Math.floor((at + offset * 3600) / width);
          expect([day, days, bucketOf(end - 1)]).toEqual([day, days, bucketOf(start)]);
        }
      }
    }
  });

  it('have no error rate without calls', () => {
    const rate = (sum_call_count: number, sum_error_count: number) =>
      errorRate({ sum_call_count, sum_error_count } as CallStats);
    expect([rate(0, 0), rate(4, 1)]).toEqual([0, 0.25]);
  });

  it('add the tokens of all models', () => {
    const usage = [
      { timestamp: 'a', sum_total_tokens: 1 },
      { timestamp: 'a', sum_total_tokens: 2 },
      { timestamp: 'b', sum_total_tokens: 4 },
    ];
    expect([...tokensOf(usage)]).toEqual([
      ['a', 3],
      ['b', 4],
    ]);
  });
});
