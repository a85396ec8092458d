import { Injectable } from '@nestjs/common';
import { requireAccess, requireRefAccess, type Principal } from '@app/auth';
import { FeedbackCreateRecord, type ScoreCreateRecord } from '@app/contracts';
import { ProblemError } from '@app/http';
import { JsonText } from '@app/wire';
import { CallIntake } from '../calls/call-intake.js';
import { FeedbackIntake } from '../feedback/feedback-intake.js';
import { EvaluationCallsReader, type KnownCall } from './evaluation-calls.reader.js';
import { completeFact } from './evaluation-facts.js';
import { EvaluationOps } from './evaluation-ops.js';
import {
  callRef,
  completeRecord,
  json,
  jsonObject,
  nameIn,
  scoreAttributes,
} from './evaluation-records.js';
import { nowIn } from './evaluation-runs.js';
import { memberOf } from './member-of.js';

/** Writes scores, each as a call and as feedback on the prediction. */
@Injectable()
export class Scores {
  constructor(
    private readonly intake: CallIntake,
    private readonly calls: EvaluationCallsReader,
    private readonly ops: EvaluationOps,
    private readonly feedback: FeedbackIntake,
  ) {}

  /** Resolves to the id of the score when its call is accepted and the feedback can be read. */
  async create(
    caller: Principal,
    projectId: string,
    record: ScoreCreateRecord,
    retryId?: string,
  ): Promise<string> {
    const { prediction_id, scorer } = record;
    requireAccess(caller, 'write', [projectId]);
    requireRefAccess(caller, 'enter', [scorer]);
    const name = scorerName(scorer);
    const writer = { projectId, user: caller.user };
    const prediction = await this.calls.read(writer, prediction_id, 'prediction');
    const opName = await this.ops.ref(`${name}.score`, { projectId, userId: caller.user });
    const context = this.intake.context(caller, retryId);
    const id = context.newId(0, 'call');
    const head = {
      ...placeOf(record, prediction, id),
      projectId,
      id,
      opName,
      startedAt: nowIn(context),
    };
    const inputs = jsonObject({
      self: json(scorer),
      inputs: memberOf(prediction.inputs, 'inputs') ?? '{}',
      output: prediction.output || 'null',
    });
    const attributes = scoreAttributes(prediction_id, scorer, record.evaluation_run_id);
    const call = completeRecord(head, attributes, inputs, record.value.toString());
    const fact = completeFact(call, context);
    const given = await this.feedback.fact(feedbackOf(projectId, id, name, record), {
      caller,
      retryId,
    });
    await this.intake.accept(caller, [fact]);
    await this.feedback.publishNew(caller, [given]);
    return id;
  }
}

function scorerName(scorer: string): string {
  const name = nameIn(scorer);
  if (name !== undefined) return name;
  const shown = JSON.stringify(scorer.slice(0, 80));
  throw new ProblemError('invalid_ref', `scorer must be the ref of an object or op, not ${shown}.`);
}

/** A score of a run is beside its prediction, under the trial. Any other score is a trace of its own. */
function placeOf(
  { evaluation_run_id: runId }: ScoreCreateRecord,
  prediction: KnownCall,
  id: string,
) {
  if (!runId) return { traceId: id };
  if (prediction.parent_id === '') return { traceId: runId, parentId: runId };
  return { traceId: prediction.trace_id, parentId: prediction.parent_id };
}

function feedbackOf(
  project_id: string,
  scoreId: string,
  name: string,
  { prediction_id, scorer, value }: ScoreCreateRecord,
): FeedbackCreateRecord {
  return Object.assign(new FeedbackCreateRecord(), {
    project_id,
    weave_ref: callRef(project_id, prediction_id),
    feedback_type: `wandb.runnable.${name}`,
    payload: new JsonText(Buffer.from(jsonObject({ output: value.toString() }))),
    runnable_ref: scorer,
    call_ref: callRef(project_id, scoreId),
  });
}
