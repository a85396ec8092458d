import { shownPrediction, shownRun } from './evaluation-views.js';
import { tokensOf, costUnitsOf } from './predicted.js';
import { StoredCall } from './stored-call.js';
import { childrenOfTrial, scoreCallIds } from './trials.js';

const aCall = (id: string, more: object = {}) =>
  new StoredCall(
    JSON.stringify({ id, op_name: id, parent_id: 't', attributes: {}, inputs: {}, ...more }),
  );
const op = (name: string) => `weave:///acme/demo/op/${name}:d`;
const model = 'weave:///acme/demo/object/m:d';

describe('the children of a trial', () => {
  const trial = aCall('t', {
    inputs: { model },
    output: { scores: { exact: 1, length: 2 } },
  });

  it('are the prediction, found by its model, and the scores, found by their names', () => {
    const children = [
      aCall('prepare', { op_name: op('prepare_predict') }),
      aCall('predicts', { op_name: op('M.run'), inputs: { self: model } }),
      aCall('exact', { op_name: op('exact') }),
      aCall('class', { op_name: op('LengthScorer.score') }),
    ];
    const { prediction, scores } = childrenOfTrial(trial, children);

    expect(prediction?.id).toBe('predicts');
    expect(scores.map(({ id }) => id)).toEqual(['exact', 'class']);
    expect(scoreCallIds(['exact', 'length', 'none'], scores)).toEqual({
      exact: 'exact',
      length: 'class',
    });
  });

  it('are the calls that are marked, whatever their names', () => {
    const children = [
      aCall('a', { op_name: op('predict'), attributes: { _weave_eval_meta: { score: true } } }),
      aCall('b', { attributes: { weave: { prediction: 'true' } } }),
      aCall('c', { op_name: op('predict'), attributes: { weave: { score: 'true' } } }),
    ];
    const { prediction, scores } = childrenOfTrial(trial, children);

    expect(prediction?.id).toBe('b');
    expect(scores.map(({ id }) => id)).toEqual(['a', 'c']);
  });

  it('are a prediction by an op that is the model', () => {
    const byOp = aCall('t', { inputs: { model: op('chat') } });

    expect(childrenOfTrial(byOp, [aCall('x', { op_name: op('chat') })]).prediction?.id).toBe('x');
    expect(childrenOfTrial(byOp, []).prediction).toBeUndefined();
  });
});

describe('a call of an evaluation', () => {
  it('keeps the exact text of its payloads', () => {
    const call = new StoredCall(
      '{"id":"p","inputs":{"self":"m","n":1.0},"output":12345678901234567890,"attributes":{}}',
    );

    expect(shownPrediction(call, { runId: undefined })).toContain(
      '"inputs":{"n":1.0},"output":12345678901234567890',
    );
  });

  it('is a run that failed when it has an exception', () => {
    const ended = { ended_at: '2026-03-01T10:00:00.000000Z', summary: {} };

    expect(shownRun(aCall('r', ended))).toContain('"status":"completed"');
    expect(shownRun(aCall('r', { ...ended, exception: 'E' }))).toContain('"status":"failed"');
    expect(shownRun(aCall('r', { summary: {} }))).toContain('"status":"running"');
  });

  it('has the tokens and the costs of all its models', () => {
    const costs = { m: { prompt_tokens_total_cost: 0.25, completion_tokens_total_cost: 0.5 } };
    const usage = { m: { total_tokens: 3 }, n: { input_tokens: 1, output_tokens: 2 }, o: 7 };
    const call = aCall('c', { summary: { usage, weave: { costs } } });

    expect(tokensOf(call)).toBe(6);
    expect(costUnitsOf(call)).toBe(75n * 10n ** 16n);
    expect(tokensOf(aCall('c'))).toBeUndefined();
    expect(costUnitsOf(aCall('c'))).toBeUndefined();
  });
});
