import { withoutMembers } from '@app/wire';
import type { StoredCall } from './stored-call.js';
import { scorerOf } from './trials.js';

/** A run as JSON text. Runs of an SDK have their refs in their inputs only. */
export function shownRun(call: StoredCall): string {
  const ref = (attribute: string, ...inputs: readonly string[]) =>
    call.text('attributes', 'weave', attribute) ??
    inputs.map((name) => call.text('inputs', name)).find((text) => text !== undefined) ??
    '';
  const plain = {
    evaluation_run_id: call.id,
    evaluation: ref('evaluation', 'self', 'this'),
    model: ref('model', 'model'),
    status: statusOf(call),
    started_at: call.text('started_at') ?? null,
    finished_at: call.text('ended_at') ?? null,
    source_evaluation_run_id: call.text('attributes', 'weave', 'source_evaluation_run_id') ?? null,
  };
  return withTexts(plain, { summary: call.jsonAt('summary') ?? 'null' });
}

function statusOf(call: StoredCall): string {
  if (call.text('ended_at') === undefined) return 'running';
  return call.text('exception') === undefined ? 'completed' : 'failed';
}

/** What is not in the call itself. */
export interface Place {
  /** The ref in the inputs of the trial. */
  readonly model?: string | undefined;
  readonly runId: string | undefined;
}

/** A prediction as JSON text. */
export function shownPrediction(call: StoredCall, { model, runId }: Place): string {
  const plain = {
    prediction_id: call.id,
    model: call.text('attributes', 'weave', 'model') ?? model ?? call.text('inputs', 'self') ?? '',
    evaluation_run_id: runId ?? null,
    wb_user_id: call.text('wb_user_id') ?? null,
  };
  const inputs = inputsOf(call);
  return withTexts(plain, { inputs, output: call.jsonAt('output') ?? 'null' });
}

/** A prediction of an SDK has its inputs beside the model. */
function inputsOf(call: StoredCall): string {
  if (call.text('attributes', 'weave', 'prediction') === 'true')
    return call.jsonAt('inputs', 'inputs') ?? '{}';
  return `{${withoutMembers(call.jsonAt('inputs') ?? '{}', ['self', 'this']).join(',')}}`;
}

/** A score as JSON text. */
export function shownScore(call: StoredCall, runId: string | undefined): string {
  const plain = {
    score_id: call.id,
    scorer: scorerOf(call),
    evaluation_run_id: runId ?? null,
    wb_user_id: call.text('wb_user_id') ?? null,
  };
  return withTexts(plain, { value: call.jsonAt('output') ?? 'null' });
}

/** The object as JSON text with further members, which are JSON texts. */
export function withTexts(plain: object, texts: Readonly<Record<string, string>>): string {
  const members = Object.entries(texts).map(([name, text]) => `,${JSON.stringify(name)}:${text}`);
  return `${JSON.stringify(plain).slice(0, -1)}${members.join('')}}`;
}
