import { groupFilter, isGroup } from './group-filter.js';
import { heatOf } from './heat.js';
import { endOf, errorRate, tokensOf, wholeBucket, type CallStats } from './stats-api.js';

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

describe('the end of a period', () => {
  it('is the next minute, or the last midnight for yesterday', () => {
    const now = new Date(2026, 2, 1, 10, 30, 30).getTime();
    const period = { name: 'x', label: 'x', seconds: 60, step: 60 };
    expect(endOf(period, now)).toBe(new Date(2026, 2, 1, 10, 31).getTime() / 1000);
    const midnight = new Date(2026, 2, 1).getTime() / 1000;
    expect(endOf({ ...period, isWholeDay: true }, now)).toBe(midnight);
  });
});

describe('a map of latencies', () => {
  const row = (timestamp: string, latency: string, sum_call_count: number) =>
    ({ timestamp, latency, sum_call_count }) as unknown as CallStats;

  it('has every band between the fastest and the slowest, the slowest first', () => {
    const heat = heatOf([row('b', '100', 3), row('a', '1000', 1), row('a', '', 7)]);
    expect(heat.bands).toEqual([
      { from: 1000, to: 2000 },
      { from: 500, to: 1000 },
      { from: 200, to: 500 },
      { from: 100, to: 200 },
    ]);
    expect([heat.times, heat.max]).toEqual([['a', 'b'], 3]);
    expect(heat.bands.map((band) => heat.countAt(band, 'b'))).toEqual([0, 0, 0, 3]);
    expect(heatOf([row('a', '500000', 1)]).bands).toEqual([{ from: 500_000, to: undefined }]);
    expect(heatOf([]).bands).toEqual([]);
  });
});

describe('the filter of a group', () => {
  it('selects the calls of the group in the list', () => {
    expect(groupFilter('op', 'reply')).toBe('op_name = reply');
    const ref = 'weave:///acme/demo/op/reply';
    expect(groupFilter('op', ref)).toBe(`op ~ "${ref}:"`);
    expect(groupFilter('user', 'ann "a"')).toBe('user = "ann \\"a\\""');
    expect(groupFilter('model', 'gpt-4.1')).toBe('summary.usage.gpt-4\\.1 != null');
    expect(groupFilter('attributes.team', 'blue')).toBe('attributes.team = blue');
    expect(groupFilter('attributes.size', '5')).toBe(
      'attributes.size = "5" or attributes.size = 5',
    );
    expect([groupFilter('thread', ''), groupFilter('model', '')]).toEqual([
      'thread = null',
      'summary.usage = null',
    ]);
    expect([isGroup('attributes.team'), isGroup('attributes'), isGroup('day')]).toEqual([
      ...[true, false, false],
    ]);
  });
});
