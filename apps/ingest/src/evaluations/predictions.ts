import { Injectable } from '@nestjs/common';
import { requireAccess, requireRefAccess, type Principal } from '@app/auth';
import type { PredictionCreateRecord } from '@app/contracts';
import type { NewFact } from '@app/events';
import type { IngestContext } from '../calls/call-facts.js';
import { CallIntake } from '../calls/call-intake.js';
import { EvaluationCallsReader, type KnownCall, type Writer } from './evaluation-calls.reader.js';
import { completeFact, endFact, startFact } from './evaluation-facts.js';
import { EvaluationOps } from './evaluation-ops.js';
import {
  completeRecord,
  endRecord,
  isTrial,
  json,
  jsonObject,
  nameIn,
  PREDICT_AND_SCORE,
  predictionAttributes,
  startRecord,
  trialAttributes,
  type Json,
} from './evaluation-records.js';
import { nowIn } from './evaluation-runs.js';
import { memberOf } from './member-of.js';

/** Writes predictions as calls. A prediction of a run is under a call that also has its scores: its trial. */
@Injectable()
export class Predictions {
  constructor(
    private readonly intake: CallIntake,
    private readonly calls: EvaluationCallsReader,
    private readonly ops: EvaluationOps,
  ) {}

  /** Resolves to the id of the prediction when its calls are accepted. */
  async create(
    caller: Principal,
    projectId: string,
    record: PredictionCreateRecord,
    retryId?: string,
  ): Promise<string> {
    const { model, evaluation_run_id: runId } = record;
    requireAccess(caller, 'write', [projectId]);
    requireRefAccess(caller, 'enter', [model]);
    const owner = { projectId, userId: caller.user };
    const run = runId
      ? await this.calls.read({ projectId, user: caller.user }, runId, 'evaluation run')
      : undefined;
    const [opName, trialOp] = await Promise.all([
      this.ops.ref(`${nameIn(model) ?? 'Model'}.predict`, owner),
      run && this.ops.ref(PREDICT_AND_SCORE, owner),
    ]);
    const context = this.intake.context(caller, retryId);
    const id = context.newId(0, 'call');
    const trial =
      run && trialStart(projectId, { record, run, predictionId: id, trialOp: trialOp! }, context);
    const head = {
      projectId,
      id,
      traceId: run?.trace_id ?? id,
      parentId: trial?.callId,
      opName,
      startedAt: nowIn(context),
    };
    const inputs = jsonObject({ self: json(model), inputs: record.inputs.toString() });
    const attributes = predictionAttributes(model, runId);
    const call = completeRecord(head, attributes, inputs, record.output.toString());
    const facts = [...(trial ? [trial] : []), completeFact(call, context)];
    await this.intake.accept(caller, facts);
    return id;
  }

  /** Ends the trial of the prediction with the scores that it has by now. */
  async finish(caller: Principal, projectId: string, id: string): Promise<void> {
    requireAccess(caller, 'write', [projectId]);
    const writer = { projectId, user: caller.user };
    await this.calls.settle(writer);
    const prediction = await this.calls.read(writer, id, 'prediction');
    const context = this.intake.context(caller);
    const endedAt = nowIn(context);
    const output = await this.trialOutput(writer, prediction);
    const facts = [
      // Most predictions ended when they were created. Another end would replace their output.
      ...(Number(prediction.ended) === 0
        ? [endFact(endRecord({ projectId, id, endedAt }, 'null'), context)]
        : []),
      ...(output === undefined
        ? []
        : [endFact(endRecord({ projectId, id: prediction.parent_id, endedAt }, output), context)]),
    ];
    if (facts.length > 0) await this.intake.accept(caller, facts);
  }

  /** Undefined for a prediction without a trial. */
  private async trialOutput(writer: Writer, prediction: KnownCall): Promise<Json | undefined> {
    const { parent_id: trialId, output, started, ended } = prediction;
    const trial = trialId ? await this.calls.find(writer, trialId) : undefined;
    if (trial === undefined || !isTrial(trial.op_name)) return undefined;
    const scores = (await this.calls.scoresOf(writer, trial)).filter((row) => row.output !== '');
    const byName = scores.map((row) => [nameIn(row.scorer) ?? 'unknown', row.output] as const);
    const seconds = (Number(ended) - Number(started)) / 1_000_000;
    return jsonObject({
      output: output || 'null',
      scores: jsonObject(Object.fromEntries(byName)),
      model_latency: Number(ended) === 0 ? 'null' : json({ mean: seconds }),
    });
  }
}

interface NewTrial {
  readonly record: PredictionCreateRecord;
  readonly run: KnownCall;
  readonly predictionId: string;
  readonly trialOp: string;
}

function trialStart(
  projectId: string,
  { record, run, predictionId, trialOp }: NewTrial,
  context: IngestContext,
): NewFact {
  const head = {
    projectId,
    id: context.newId(1, 'call'),
    traceId: run.trace_id,
    parentId: run.id,
    opName: trialOp,
    startedAt: nowIn(context),
  };
  const inputs = jsonObject({
    self: memberOf(run.inputs, 'self') ?? 'null',
    model: json(record.model),
    example: record.inputs.toString(),
  });
  const attributes = trialAttributes(predictionId, record.genai_span_ref);
  return startFact(startRecord(head, attributes, inputs), context);
}
