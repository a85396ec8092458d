import { REF_SCHEME } from '@app/contracts';
import { nameIn, type StoredCall } from './stored-call.js';

const EVALUATE = 'Evaluation.evaluate';
/** Calls that predict and score one example. The evaluations of the TypeScript SDK have the second name. */
const TRIAL_OPS = ['Evaluation.predict_and_score', 'Evaluation.predictAndScore'];

/** For a filter of calls: these ops, as refs with any version or as plain names. */
const namesOf = (projectId: string, ops: readonly string[]): string[] =>
  ops.flatMap((op) => [`${REF_SCHEME}${projectId}/op/${op}:*`, op]);

export const runOps = (projectId: string): string[] => namesOf(projectId, [EVALUATE]);
export const trialOps = (projectId: string): string[] => namesOf(projectId, TRIAL_OPS);
export const isTrial = (call: StoredCall): boolean => TRIAL_OPS.includes(call.opId);

/** Which children of a trial predict and score. */
export interface TrialChildren {
  readonly prediction: StoredCall | undefined;
  readonly scores: readonly StoredCall[];
}

export function childrenOfTrial(trial: StoredCall, children: readonly StoredCall[]): TrialChildren {
  const model = trial.text('inputs', 'model');
  const candidates = children.filter((call) => !isMarkedScore(call));
  const prediction =
    candidates.find((call) => call.text('attributes', 'weave', 'prediction') === 'true') ??
    candidates.find((call) => isCallOf(model, call)) ??
    candidates.find((call) => /predict|invoke/i.test(call.opId));
  const keys = scoreKeys(trial);
  const isScore = (call: StoredCall) =>
    call !== prediction &&
    (isMarkedScore(call) ||
      /\.score$|scorer/i.test(call.opId) ||
      keys.some((key) => isScoreOf(key, call)));
  return { prediction, scores: children.filter(isScore) };
}

/** The names under which a trial has scores. */
export function scoreKeys(trial: StoredCall): string[] {
  const scores = trial.jsonAt('output', 'scores');
  return scores?.startsWith('{') ? Object.keys(JSON.parse(scores) as object) : [];
}

/** A model is an object whose method is called, or an op. */
const isCallOf = (model: string | undefined, call: StoredCall): boolean =>
  model !== undefined && (call.text('inputs', 'self') === model || call.opName === model);

const isMarkedScore = (call: StoredCall): boolean =>
  call.text('attributes', 'weave', 'score') === 'true' ||
  call.jsonAt('attributes', '_weave_eval_meta', 'score') === 'true';

/** The ref of the scorer: an object whose method was called, or an op. */
export const scorerOf = (call: StoredCall): string =>
  call.text('attributes', 'weave', 'scorer') ?? call.text('inputs', 'self') ?? call.opName;

/** The ids of the calls that made the scores of a trial, by the keys of the scores. */
export function scoreCallIds(
  keys: readonly string[],
  scores: readonly StoredCall[],
): Record<string, string> {
  const found = keys.flatMap((key) => {
    const call = scores.find((one) => isScoreOf(key, one)) ?? scores.find(isLike(key));
    return call ? [[key, call.id] as const] : [];
  });
  return Object.fromEntries(found);
}

const isScoreOf = (key: string, call: StoredCall): boolean =>
  nameIn(scorerOf(call)) === key || call.opId === key || call.opId === `${key}.score`;

const isLike = (key: string) => (call: StoredCall) => {
  const [name, wanted] = [call.opId.toLowerCase(), key.toLowerCase()];
  return name.includes(wanted) || wanted.includes(name);
};
