import { Injectable } from '@nestjs/common';
import { requireAccess, requireRefAccess, type Principal } from '@app/auth';
import type { EvaluationRunCreateRecord, EvaluationRunFinishRecord } from '@app/contracts';
import { printTimestamp } from '@app/wire';
import { CallIntake } from '../calls/call-intake.js';
import type { IngestContext } from '../calls/call-facts.js';
import { uuidOf } from '../ids.js';
import { completeFact, endFact, startFact } from './evaluation-facts.js';
import { EvaluationCallsReader } from './evaluation-calls.reader.js';
import { EvaluationOps } from './evaluation-ops.js';
import {
  completeRecord,
  endRecord,
  EVALUATE,
  json,
  jsonObject,
  runAttributes,
  startRecord,
  SUMMARIZE,
  TRIAL_OPS,
} from './evaluation-records.js';
import { memberOf } from './member-of.js';
import { runOutput } from './run-summary.js';

/** Writes runs of evaluations as calls, as the SDKs do. */
@Injectable()
export class EvaluationRuns {
  constructor(
    private readonly intake: CallIntake,
    private readonly calls: EvaluationCallsReader,
    private readonly ops: EvaluationOps,
  ) {}

  /** Resolves to the id of the run when its start is accepted. */
  async create(
    caller: Principal,
    projectId: string,
    { evaluation, model, source_evaluation_run_id }: EvaluationRunCreateRecord,
    retryId?: string,
  ): Promise<string> {
    requireAccess(caller, 'write', [projectId]);
    requireRefAccess(caller, 'enter', [evaluation, model]);
    const opName = await this.ops.ref(EVALUATE, { projectId, userId: caller.user });
    const context = this.intake.context(caller, retryId);
    const id = context.newId(0, 'call');
    const head = { projectId, id, traceId: id, opName, startedAt: nowIn(context) };
    const weave = runAttributes({ evaluation, model, source: source_evaluation_run_id });
    const inputs = json({ self: evaluation, model });
    await this.intake.accept(caller, [startFact(startRecord(head, weave, inputs), context)]);
    return id;
  }

  /** Ends the run with the means of its scores. Finishing it again replaces them. */
  async finish(
    caller: Principal,
    projectId: string,
    runId: string,
    { summary }: EvaluationRunFinishRecord,
  ): Promise<void> {
    requireAccess(caller, 'write', [projectId]);
    const writer = { projectId, user: caller.user };
    await this.calls.settle(writer);
    const run = await this.calls.read(writer, runId, 'evaluation run');
    const output = runOutput(await this.calls.trialsOf(writer, run, TRIAL_OPS));
    const context = this.intake.context(caller);
    const endedAt = nowIn(context);
    const head = {
      projectId,
      // The same id whenever the run is finished, so that it has one summary.
      id: uuidOf(projectId, runId, 'summarize'),
      traceId: run.trace_id,
      parentId: runId,
      opName: SUMMARIZE,
      startedAt: endedAt,
    };
    const inputs = jsonObject({ self: memberOf(run.inputs, 'self') });
    await this.intake.accept(caller, [
      completeFact(completeRecord(head, undefined, inputs, output), context),
      endFact(endRecord({ projectId, id: runId, endedAt }, output, summaryText(summary)), context),
    ]);
  }
}

const summaryText = (summary: EvaluationRunFinishRecord['summary']) =>
  summary && !summary.isNull ? summary.toString() : '{}';

export const nowIn = (context: IngestContext): string => printTimestamp(context.now());
