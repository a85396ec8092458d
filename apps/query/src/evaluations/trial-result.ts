import type { EvalResultsRequest } from '@app/contracts';
import { withTexts } from './evaluation-views.js';
import { costUnitsOf, printedUnits, tokensOf } from './predicted.js';
import type { StoredCall } from './stored-call.js';
import { scoreCallIds, scoreKeys } from './trials.js';
import type { Trial } from './trials.reader.js';

type Shown = Pick<EvalResultsRequest, 'include_costs' | 'include_model_outputs'>;

/** One trial of a row as JSON text. Its tokens, cost and latency are those of the prediction, without the scorers. */
export function shownTrial(
  { call, prediction, scores }: Trial,
  { include_costs, include_model_outputs }: Shown,
): string {
  const given = call.jsonAt('output', 'scores');
  const plain = {
    predict_and_score_call_id: call.id,
    predict_call_id: prediction?.id ?? null,
    model_latency_seconds: prediction?.seconds ?? meanLatency(call) ?? null,
    total_tokens: tokensOf(prediction ?? call) ?? null,
    scorer_call_ids: scoreCallIds(scoreKeys(call), scores),
    genai_span_ref: spansOf([...(prediction ? [prediction] : []), call]),
  };
  return withTexts(plain, {
    model_output:
      include_model_outputs === false ? 'null' : (call.jsonAt('output', 'output') ?? 'null'),
    scores: given?.startsWith('{') ? given : '{}',
    total_cost:
      include_costs === true && prediction ? printedUnits(costUnitsOf(prediction)) : 'null',
  });
}

function meanLatency(call: StoredCall): number | undefined {
  const mean = call.jsonAt('output', 'model_latency', 'mean');
  const seconds = mean === undefined ? NaN : Number(mean);
  return Number.isFinite(seconds) ? seconds : undefined;
}

interface SpanRef {
  readonly trace_id: string;
  readonly span_id: string;
}

/** The spans of agents that calls name, each once; null when there are none. */
function spansOf(calls: readonly StoredCall[]): SpanRef[] | null {
  const spans = calls.flatMap((call) =>
    ['attributes', 'summary'].flatMap((member) => spansIn(call, member)),
  );
  const distinct = new Map(spans.map((span) => [`${span.trace_id}/${span.span_id}`, span]));
  return distinct.size === 0 ? null : [...distinct.values()];
}

function spansIn(call: StoredCall, member: string): SpanRef[] {
  const json = call.jsonAt(member, 'weave', 'genai_span_ref');
  const list = json?.startsWith('[') ? (JSON.parse(json) as unknown[]) : [];
  return list.flatMap((item) => {
    const { trace_id, span_id } = (item ?? {}) as Partial<SpanRef>;
    return typeof trace_id === 'string' && typeof span_id === 'string'
      ? [{ trace_id, span_id }]
      : [];
  });
}
