import { refIn, REF_SCHEME, type GenaiSpanRef } from '@app/contracts';

/** The ops of evaluations, as the SDKs name them. */
export const EVALUATE = 'Evaluation.evaluate';
export const PREDICT_AND_SCORE = 'Evaluation.predict_and_score';
export const SUMMARIZE = 'Evaluation.summarize';
/** Calls that predict and score one example. The evaluations of the TypeScript SDK have the second name. */
export const TRIAL_OPS: readonly string[] = [PREDICT_AND_SCORE, 'Evaluation.predictAndScore'];

/** JSON text that is inserted as it is, so that payloads keep the text that was sent. */
export type Json = string;

export const json = (value: unknown): Json => JSON.stringify(value);

/** A JSON object. Members that are undefined are left out. */
export function jsonObject(members: Readonly<Record<string, Json | undefined>>): Json {
  const texts = Object.entries(members).flatMap(([name, text]) =>
    text === undefined ? [] : [`${json(name)}:${text}`],
  );
  return `{${texts.join(',')}}`;
}

/** What every record of a call has. */
interface CallHead {
  readonly projectId: string;
  readonly id: string;
  readonly traceId: string;
  readonly parentId?: string | undefined;
  readonly opName: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** A call that has not ended. */
export function startRecord(head: CallHead, weave: Json | undefined, inputs: Json): Json {
  return jsonObject(startMembers(head, weave, inputs));
}

/** A call that ended when it was recorded. */
export function completeRecord(
  head: CallHead,
  weave: Json | undefined,
  inputs: Json,
  output: Json,
): Json {
  return jsonObject({
    ...startMembers(head, weave, inputs),
    ended_at: json(head.startedAt),
    output,
    summary: '{}',
  });
}

export const endRecord = (
  call: { readonly projectId: string; readonly id: string; readonly endedAt: string },
  output: Json,
  summary: Json = '{}',
): Json =>
  jsonObject({
    project_id: json(call.projectId),
    id: json(call.id),
    ended_at: json(call.endedAt),
    output,
    summary,
  });

function startMembers(
  { projectId, id, traceId, parentId, opName, startedAt }: CallHead,
  weave: Json | undefined,
  inputs: Json,
) {
  return {
    project_id: json(projectId),
    id: json(id),
    trace_id: json(traceId),
    ...(parentId && { parent_id: json(parentId) }),
    op_name: json(opName),
    started_at: json(startedAt),
    attributes: jsonObject({ weave }),
    inputs,
  };
}

/** `attributes.weave` of a run, as queries of the SDK's pages filter by it. */
export const runAttributes = (run: {
  readonly evaluation: string;
  readonly model: string;
  readonly source: string | null | undefined;
}): Json =>
  json({
    evaluation_run: 'true',
    evaluation: run.evaluation,
    model: run.model,
    ...(run.source && { source_evaluation_run_id: run.source }),
  });

export const trialAttributes = (
  predictionId: string,
  spans: readonly GenaiSpanRef[] | null | undefined,
): Json =>
  json({
    predict_call_id: predictionId,
    ...(spans && {
      genai_span_ref: spans.map(({ trace_id, span_id }) => ({ trace_id, span_id })),
    }),
  });

export const predictionAttributes = (model: string, runId: string | null | undefined): Json =>
  json({ prediction: 'true', model, ...(runId && { evaluation_run_id: runId }) });

export const scoreAttributes = (
  predictionId: string,
  scorer: string,
  runId: string | null | undefined,
): Json =>
  json({
    score: 'true',
    prediction_id: predictionId,
    scorer,
    ...(runId && { evaluation_run_id: runId }),
  });

/** The name in the ref of an object or op; undefined for other texts. */
export function nameIn(ref: string): string | undefined {
  const parsed = refIn(ref);
  return parsed?.kind === 'object' || parsed?.kind === 'op' ? parsed.name : undefined;
}

/** Whether a call predicts and scores one example, whatever the version of its op. */
export const isTrial = (opName: string): boolean => TRIAL_OPS.includes(nameIn(opName) ?? opName);

export const callRef = (projectId: string, id: string): string =>
  `${REF_SCHEME}${projectId}/call/${id}`;
