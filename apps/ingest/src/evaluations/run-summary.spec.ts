import { runOutput } from './run-summary.js';

const output = (...trials: [scores: string, predicted: string][]) =>
  JSON.parse(runOutput(trials.map(([scores, predicted]) => ({ scores, predicted })))) as object;

describe('the output of a run', () => {
  it('has the mean of every score that is a number or a boolean', () => {
    expect(output(['{"s":1,"ok":true}', ''], ['{"s":0.5,"ok":false,"why":"x"}', ''])).toEqual({
      s: { mean: 0.75 },
      ok: { mean: 0.5 },
    });
  });

  it('has the mean of outputs that are numbers', () => {
    expect(output(['{}', '1'], ['{}', '2'], ['{}', '"3"'])).toEqual({ output: { mean: 1.5 } });
  });

  it('is empty without trials, and ignores scores that are no object', () => {
    expect(output()).toEqual({});
    expect(output(['[1]', '{}'], ['', ''], ['null', 'null'])).toEqual({});
  });
});
