import { bestOf, columnValue, commonPaths, summaryOf } from './run-metrics.js';

const output = {
  exact: { true_count: 3, true_fraction: 0.75 },
  judge: { score: { mean: 4 } },
  model_latency: { mean: 0.5 },
};

describe('the summary of a run', () => {
  it('has the shares and means, without counts that say the same', () => {
    expect([...summaryOf(output)]).toEqual([
      ['exact.true_fraction', 0.75],
      ['judge.score.mean', 4],
      ['model_latency.mean', 0.5],
    ]);
    expect([...summaryOf(null)]).toEqual([]);
    expect([...summaryOf({ errors: { count: 2 } })]).toEqual([['errors.count', 2]]);
  });

  it('shows the paths of most runs first, and latencies last', () => {
    const summaries = [{ model_latency: 1, rare: 1 }, { model_latency: 1, exact: 1 }, { exact: 0 }];
    expect(commonPaths(summaries.map(summaryOf), 2)).toEqual(['exact', 'rare']);
    expect(commonPaths(summaries.map(summaryOf), 3)).toEqual(['exact', 'rare', 'model_latency']);
  });

  it('has the value of a column of a leaderboard, whole or below its path', () => {
    const column = (scorer_name: string, summary_metric_path: string) =>
      columnValue({ evaluation_object_ref: '', scorer_name, summary_metric_path }, output);
    expect(column('exact', 'true_fraction')).toBe(0.75);
    expect(column('exact', '')).toBe(0.75);
    expect(column('judge', 'score')).toBe(4);
    expect(column('judge', 'nothing')).toBeUndefined();
  });

  it('has a best value in either direction, or none', () => {
    expect(bestOf([1, undefined, 3], false)).toBe(3);
    expect(bestOf([1, undefined, 3], true)).toBe(1);
    expect(bestOf([undefined], true)).toBeUndefined();
  });
});
