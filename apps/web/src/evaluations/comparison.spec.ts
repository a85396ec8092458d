import {
  figuresOf,
  gainOf,
  isRegression,
  metricsOf,
  numbersIn,
  regressionsFirst,
  type ResultRow,
  type Trial,
} from './comparison.js';

const aTrial = (given: Partial<Trial>): Trial => ({
  predict_and_score_call_id: 'call',
  model_output: null,
  scores: {},
  model_latency_seconds: null,
  total_tokens: null,
  total_cost: null,
  ...given,
});
/** An example with the scores of each run; undefined for a run without it. */
const aRow = (row_digest: string, ...scores: readonly (object | undefined)[]): ResultRow => ({
  row_digest,
  raw_data_row: null,
  evaluations: scores.flatMap((one, run) =>
    one === undefined
      ? []
      : [
          {
            evaluation_call_id: `run-${run}`,
            trials: [aTrial({ scores: one as Trial['scores'] })],
          },
        ],
  ),
});
const exact = { key: 'scores.exact', label: 'exact', isLowerBetter: false };
const runs = ['run-0', 'run-1'];

describe('a comparison of evaluations', () => {
  it('takes numbers and booleans of scores as metrics, by their path', () => {
    const scores = { exact: true, judge: { score: 0.5, why: 'short' }, list: [1], none: null };
    expect(numbersIn(scores)).toEqual([
      ['exact', 1],
      ['judge.score', 0.5],
    ]);
    const row = aRow('a', scores);
    const slow = aTrial({ model_latency_seconds: 2 });
    const rows = [row, { ...row, evaluations: [{ evaluation_call_id: 'x', trials: [slow] }] }];
    expect(metricsOf(rows).map(({ label }) => label)).toEqual([
      'exact',
      'judge.score',
      'Latency, s',
    ]);
  });

  it('puts the examples that became worse first, and those without a pair last', () => {
    const rows = [
      aRow('better', { exact: 0 }, { exact: 1 }),
      aRow('alone', { exact: 1 }),
      aRow('same', { exact: 1 }, { exact: 1 }),
      aRow('worse', { exact: 1 }, { exact: 0.5 }),
      aRow('worst', { exact: 1 }, { exact: 0 }),
    ];
    const ordered = regressionsFirst(rows, runs, exact);
    expect(ordered.map(({ row_digest }) => row_digest)).toEqual([
      ...['worst', 'worse', 'same', 'better', 'alone'],
    ]);
    expect(ordered.filter((row) => isRegression(row, runs, exact))).toHaveLength(2);
  });

  it('counts less as better for latency, tokens and cost', () => {
    const trial = (seconds: number) => [aTrial({ model_latency_seconds: seconds })];
    const row = {
      ...aRow('a'),
      evaluations: [
        { evaluation_call_id: 'run-0', trials: trial(1) },
        { evaluation_call_id: 'run-1', trials: trial(3) },
      ],
    };
    const latency = { key: 'latency', label: 'Latency', isLowerBetter: true };
    expect(gainOf(row, runs, 'run-1', latency)).toBe(-2);
  });

  it('compares each run with the first over the examples that both have', () => {
    const rows = [
      aRow('a', { exact: true }, { exact: false }),
      aRow('b', { exact: true }, { exact: true }),
      aRow('c', { exact: false }),
    ];
    const [figures] = figuresOf(rows, runs, [exact]);
    expect(figures!.figures[0]).toEqual({ runId: 'run-0', mean: 2 / 3, against: undefined });
    expect(figures!.figures[1]).toMatchObject({
      mean: 0.5,
      against: { pairs: 2, difference: -0.5, lower: 1, higher: 0, test: 'mcnemar', adjusted: 1 },
    });
  });

  it('uses the mean of several trials of an example', () => {
    const trials = [aTrial({ scores: { exact: 1 } }), aTrial({ scores: { exact: 0 } })];
    const row = { ...aRow('a'), evaluations: [{ evaluation_call_id: 'run-0', trials }] };
    expect(figuresOf([row], ['run-0'], [exact])[0]!.figures[0]!.mean).toBe(0.5);
  });
});
