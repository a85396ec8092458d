import { Slices } from '@app/http';
import { Injectable } from '@nestjs/common';
import type { EvalResultsRequest } from '@app/contracts';
import type { ReadContext } from '../read-context.js';
import { withTexts } from './evaluation-views.js';
import { costUnitsOf, printedUnits, tokensOf } from './predicted.js';
import type { ResultRow } from './result-rows.js';
import { EvaluationStats } from './score-stats.js';
import type { StoredCall } from './stored-call.js';
import { CHILD_COLUMNS, TRIALS_AT_ONCE, TrialsReader } from './trials.reader.js';

export interface ResultSummary {
  readonly json: string;
  readonly warnings: readonly string[];
}

/** What the predictions of an evaluation used. */
class Usage {
  tokens: number | undefined;
  cost: bigint | undefined;

  add(tokens: number | undefined, cost: bigint | undefined): void {
    if (tokens !== undefined) this.tokens = (this.tokens ?? 0) + tokens;
    if (cost !== undefined) this.cost = (this.cost ?? 0n) + cost;
  }
}

const TOO_MANY_VALUES =
  'A scorer returned objects with more different keys than the summary has; the rest is left out.';

/** Sums up the rows of evaluations. */
@Injectable()
export class ResultSummaryReader {
  constructor(private readonly trials: TrialsReader) {}

  async read(
    projectId: string,
    runIds: readonly string[],
    rows: readonly ResultRow[],
    request: EvalResultsRequest,
    context: ReadContext,
  ): Promise<ResultSummary> {
    const stats = await statsOf(rows);
    const [runs, usage] = await Promise.all([
      this.runs(projectId, runIds, context),
      this.usage(projectId, rows, request, context),
    ]);
    const evaluations = [...stats].map(([id, one]) =>
      shownEvaluation(id, one, runs.get(id), usage.get(id)),
    );
    const isComplete = [...stats.values()].every((one) => one.isComplete);
    return {
      json: withTexts({ row_count: rows.length }, { evaluations: `[${evaluations.join(',')}]` }),
      warnings: isComplete ? [] : [TOO_MANY_VALUES],
    };
  }

  private async runs(
    project_id: string,
    runIds: readonly string[],
    context: ReadContext,
  ): Promise<ReadonlyMap<string, StoredCall>> {
    const columns = ['id', 'inputs', 'display_name', 'trace_id', 'started_at'];
    const request = { project_id, filter: { call_ids: [...runIds] }, columns };
    const runs = new Map<string, StoredCall>();
    for await (const call of this.trials.stored(request, context)) runs.set(call.id, call);
    return runs;
  }

  private async usage(
    projectId: string,
    rows: readonly ResultRow[],
    { include_predict_and_score_children, include_costs }: EvalResultsRequest,
    context: ReadContext,
  ): Promise<ReadonlyMap<string, Usage>> {
    const usage = new Map<string, Usage>();
    const entries = rows.flatMap(({ evaluations }) => [...evaluations.values()].flat());
    for (let from = 0; from < entries.length; from += TRIALS_AT_ONCE) {
      const filter = { call_ids: entries.slice(from, from + TRIALS_AT_ONCE).map(({ id }) => id) };
      const calls: StoredCall[] = [];
      const columns = ['id', 'parent_id', 'inputs', 'summary'];
      const request = { project_id: projectId, filter, columns };
      for await (const call of this.trials.stored(request, context)) calls.push(call);
      const trials =
        include_predict_and_score_children === false
          ? calls.map((call) => ({ call, prediction: undefined }))
          : await this.trials.withChildren(projectId, calls, context, {
              include_costs: include_costs ?? false,
              columns: CHILD_COLUMNS,
            });
      for (const { call, prediction } of trials) {
        const of = usage.get(call.parentId ?? '') ?? new Usage();
        usage.set(call.parentId ?? '', of);
        const cost = include_costs && prediction ? costUnitsOf(prediction) : undefined;
        of.add(tokensOf(prediction ?? call), cost);
      }
    }
    return usage;
  }
}

async function statsOf(rows: readonly ResultRow[]): Promise<Map<string, EvaluationStats>> {
  const stats = new Map<string, EvaluationStats>();
  const slices = new Slices();
  for (const { evaluations } of rows) {
    await slices.next();
    for (const [id, trials] of evaluations) {
      const of = stats.get(id) ?? new EvaluationStats();
      stats.set(id, of);
      for (const { scores } of trials) of.add(scores);
    }
  }
  return stats;
}

function shownEvaluation(
  id: string,
  stats: EvaluationStats,
  run: StoredCall | undefined,
  usage: Usage | undefined,
): string {
  const plain = {
    evaluation_call_id: id,
    trial_count: stats.trials,
    scorer_stats: stats.shown,
    predict_total_tokens: usage?.tokens ?? null,
    evaluation_ref: run?.text('inputs', 'self') ?? run?.text('inputs', 'this') ?? null,
    model_ref: run?.text('inputs', 'model') ?? null,
    display_name: run?.text('display_name') ?? null,
    trace_id: run?.text('trace_id') ?? null,
    started_at: run?.text('started_at') ?? null,
  };
  return withTexts(plain, { predict_total_cost: printedUnits(usage?.cost) });
}
