import { EvaluationStats } from './score-stats.js';

describe('the statistics of scores', () => {
  it('have one entry for every value, also inside of objects', () => {
    const stats = new EvaluationStats();
    stats.add(
      '{"exact":true,"distance":{"value":1,"passed":true},"why":"a","list":[1],"none":null}',
    );
    stats.add('{"exact":false,"distance":{"value":2,"passed":true}}');

    expect(stats.trials).toBe(2);
    expect(stats.shown).toMatchObject([
      { scorer_key: 'exact', path: null, value_type: 'binary', pass_rate: 0.5, trial_count: 2 },
      { scorer_key: 'distance', path: 'value', value_type: 'continuous', numeric_mean: 1.5 },
      { scorer_key: 'distance', path: 'passed', pass_rate: 1, pass_signal_coverage: 1 },
      {
        scorer_key: 'why',
        value_type: 'text',
        trial_count: 1,
        numeric_mean: null,
        pass_rate: null,
      },
    ]);
  });

  it('are bounded, and say so', () => {
    const stats = new EvaluationStats();
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`k${i}`, i]));
    stats.add(JSON.stringify(many));

    expect(stats.shown).toHaveLength(1000);
    expect(stats.isComplete).toBe(false);
  });
});
