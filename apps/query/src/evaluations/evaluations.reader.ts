import { Injectable } from '@nestjs/common';
import { ProblemError } from '@app/http';
import { CallsReader } from '../calls/calls.reader.js';
import type { ReadContext } from '../read-context.js';
import { shownPrediction, shownRun, shownScore } from './evaluation-views.js';
import { StoredCall } from './stored-call.js';
import { isTrial, runOps } from './trials.js';
import { inParts, TrialsReader, type Trial } from './trials.reader.js';

export interface Page {
  readonly limit: number | null;
  readonly offset: number | null;
}

export interface RunsFilter extends Page {
  readonly evaluations: readonly string[] | undefined;
  readonly models: readonly string[] | undefined;
  readonly evaluation_run_ids: readonly string[] | undefined;
}

/** Reads runs, predictions and scores that this interface or an SDK has written. */
@Injectable()
export class EvaluationsReader {
  constructor(
    private readonly calls: CallsReader,
    private readonly reader: TrialsReader,
  ) {}

  async *runs(
    projectId: string,
    filter: RunsFilter,
    context: ReadContext,
  ): AsyncGenerator<string, void> {
    const { evaluations, models, evaluation_run_ids: call_ids, limit, offset } = filter;
    const conditions = [
      ...(evaluations ? [isOneOf(['inputs.self', 'inputs.this'], evaluations)] : []),
      ...(models ? [isOneOf(['inputs.model'], models)] : []),
    ];
    const request = {
      project_id: projectId,
      filter: { op_names: runOps(projectId), call_ids: call_ids ? [...call_ids] : null },
      ...(conditions.length > 0 && { query: { $expr: { $and: conditions } } }),
      limit,
      offset,
    };
    for await (const call of this.reader.stored(request, context)) yield shownRun(call);
  }

  async run(projectId: string, id: string, context: ReadContext): Promise<string> {
    return shownRun(await this.call(projectId, id, 'evaluation run', context));
  }

  /** Those of a run, or without a run those that were written through this interface. */
  async *predictions(
    projectId: string,
    runId: string | undefined,
    page: Page,
    context: ReadContext,
  ): AsyncGenerator<string, void> {
    if (runId === undefined) {
      for await (const call of this.marked(projectId, 'prediction', page, context))
        yield shownPrediction(call, { runId: runIn(call) });
      return;
    }
    const trials = this.trials(projectId, runId, context);
    yield* paged(page, predictionsOf(trials, runId));
  }

  async prediction(projectId: string, id: string, context: ReadContext): Promise<string> {
    const call = await this.call(projectId, id, 'prediction', context);
    const trial = await this.trialOf(projectId, call, context);
    const runId = runIn(call) ?? trial?.parentId;
    return shownPrediction(call, { model: trial?.text('inputs', 'model'), runId });
  }

  async *scores(
    projectId: string,
    runId: string | undefined,
    page: Page,
    context: ReadContext,
  ): AsyncGenerator<string, void> {
    if (runId === undefined) {
      for await (const call of this.marked(projectId, 'score', page, context))
        yield shownScore(call, runIn(call));
      return;
    }
    const trials = this.trials(projectId, runId, context);
    yield* paged(page, scoresOf(trials, runId));
  }

  async score(projectId: string, id: string, context: ReadContext): Promise<string> {
    const call = await this.call(projectId, id, 'score', context);
    const trial = await this.trialOf(projectId, call, context);
    return shownScore(call, runIn(call) ?? trial?.parentId);
  }

  /** Calls that this interface has marked as a prediction or a score. */
  private marked(
    project_id: string,
    mark: 'prediction' | 'score',
    page: Page,
    context: ReadContext,
  ): AsyncGenerator<StoredCall, void> {
    const query = { $expr: isOneOf([`attributes.weave.${mark}`], ['true']) };
    return this.reader.stored({ project_id, query, ...page }, context);
  }

  private async *trials(
    projectId: string,
    runId: string,
    context: ReadContext,
  ): AsyncGenerator<Trial, void> {
    const calls = this.reader.ofRuns(projectId, [runId], context);
    for await (const part of inParts(calls))
      yield* await this.reader.withChildren(projectId, part, context);
  }

  private async trialOf(
    projectId: string,
    call: StoredCall,
    context: ReadContext,
  ): Promise<StoredCall | undefined> {
    const { parentId } = call;
    if (parentId === undefined) return undefined;
    const parent = await this.calls.read({ project_id: projectId, id: parentId }, context);
    const trial = parent === undefined ? undefined : new StoredCall(parent);
    return trial && isTrial(trial) ? trial : undefined;
  }

  private async call(
    project_id: string,
    id: string,
    what: string,
    context: ReadContext,
  ): Promise<StoredCall> {
    const record = await this.calls.read({ project_id, id }, context);
    if (record !== undefined) return new StoredCall(record);
    const reason = `There is no ${what} ${id.slice(0, 80)} in ${project_id}.`;
    throw new ProblemError('call_not_found', reason);
  }
}

const runIn = (call: StoredCall) => call.text('attributes', 'weave', 'evaluation_run_id');

async function* predictionsOf(
  trials: AsyncGenerator<Trial, void>,
  runId: string,
): AsyncGenerator<string, void> {
  for await (const { call, prediction } of trials)
    if (prediction)
      yield shownPrediction(prediction, { model: call.text('inputs', 'model'), runId });
}

async function* scoresOf(
  trials: AsyncGenerator<Trial, void>,
  runId: string,
): AsyncGenerator<string, void> {
  for await (const { scores } of trials) for (const score of scores) yield shownScore(score, runId);
}

/** The page of a list that cannot be read from its middle. */
async function* paged(
  { limit, offset }: Page,
  items: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  const from = offset ?? 0;
  const to = from + (limit ?? Infinity);
  let position = 0;
  if (limit === 0) return;
  for await (const item of items) {
    if (position >= from) yield item;
    if (++position >= to) return;
  }
}

/** An expression of the query language: one of the fields has one of the values. */
function isOneOf(fields: readonly string[], values: readonly string[]): object {
  const literals = values.map(($literal) => ({ $literal }));
  const conditions = fields.map(($getField) => ({ $in: [{ $getField }, literals] }));
  return conditions.length === 1 ? conditions[0]! : { $or: conditions };
}
