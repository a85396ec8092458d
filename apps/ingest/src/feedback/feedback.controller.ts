import { Body, Controller, Headers } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { actorOf, Caller, type Principal } from '@app/auth';
import {
  EmptyResponse,
  FeedbackBatchRequest,
  FeedbackBatchResponse,
  FeedbackCreateRecord,
  FeedbackReplaceRecord,
  FeedbackResponse,
  PurgeRequest,
} from '@app/contracts';
import type { FeedbackGiven } from '@app/events';
import { InvalidBodyError, JsonResponse, Operation, ProblemError, Slices } from '@app/http';
import { RETRY_ID } from '../calls/calls.controller.js';
import { AuditTrail } from '@app/queue';
import { purgedIds } from '../purge-query.js';
import { recordOf } from '../record-body.js';
import { batchIn } from './feedback-batch.js';
import { feedbackResponse, purgedFact } from './feedback-facts.js';
import { FeedbackIntake } from './feedback-intake.js';

@ApiTags('feedback')
@Controller('feedback')
export class FeedbackController {
  constructor(
    private readonly feedback: FeedbackIntake,
    private readonly audit: AuditTrail,
  ) {}

  @Operation('create', {
    needs: 'write',
    summary: 'Give feedback',
    body: FeedbackCreateRecord,
    response: FeedbackResponse,
  })
  async create(
    @Body() body: Buffer,
    @Caller() caller: Principal,
    @Headers(RETRY_ID) retryId?: string,
  ): Promise<JsonResponse> {
    const record = recordOf(FeedbackCreateRecord, body, ['payload']);
    const fact = await this.feedback.fact(record, { caller, retryId });
    await this.feedback.publishNew(caller, [fact]);
    return new JsonResponse(feedbackResponse(fact));
  }

  @Operation('batch/create', {
    needs: 'write',
    summary: 'Give many pieces of feedback at once',
    body: FeedbackBatchRequest,
    response: FeedbackBatchResponse,
  })
  async createBatch(
    @Body() body: Buffer,
    @Caller() caller: Principal,
    @Headers(RETRY_ID) retryId?: string,
  ): Promise<JsonResponse> {
    const facts: FeedbackGiven[] = [];
    const records = await batchIn(body);
    const slices = new Slices();
    for (const [index, record] of records.entries()) {
      await slices.next();
      const fact = this.feedback.fact(record, { caller, retryId }, index);
      facts.push(await fact.catch((error: unknown) => refuseItem(error, index)));
    }
    await this.feedback.publishNew(caller, facts);
    return new JsonResponse(`{"res":[${facts.map(feedbackResponse).join(',')}]}`);
  }

  @Operation('replace', {
    needs: 'change',
    summary: 'Replace feedback',
    body: FeedbackReplaceRecord,
    response: FeedbackResponse,
  })
  async replace(@Body() body: Buffer, @Caller() caller: Principal): Promise<JsonResponse> {
    const record = recordOf(FeedbackReplaceRecord, body, ['payload']);
    const old = record.feedback_id;
    const fact = await this.feedback.fact(record, { caller, retryId: undefined }, 0, old);
    const { projectId, userId, receivedAt } = fact;
    const purged = fact.data.id === old ? [] : [purgedFact(old, { projectId, userId, receivedAt })];
    const entry = { action: 'feedback.replace', projectId, detail: { id: old } };
    await this.audit.record({ ...actorOf(caller), ...entry });
    await this.feedback.publish([...purged, fact]);
    return new JsonResponse(feedbackResponse(fact));
  }

  @Operation('purge', {
    needs: 'delete',
    summary: 'Remove feedback',
    body: PurgeRequest,
    response: EmptyResponse,
  })
  async purge(
    @Body() { project_id, query }: PurgeRequest,
    @Caller() caller: Principal,
  ): Promise<EmptyResponse> {
    const context = this.feedback.context(caller, project_id, 'delete');
    const ids = purgedIds(query);
    await this.audit.record({
      ...actorOf(caller),
      action: 'feedback.purge',
      projectId: project_id,
      detail: { ids },
    });
    await this.feedback.publish(ids.map((id) => purgedFact(id, context)));
    return {};
  }
}

/** In a batch, a refused item makes the body invalid: clients split the batch on 422 and drop it on 400. */
function refuseItem(error: unknown, index: number): never {
  if (!(error instanceof ProblemError) || error.status !== 400) throw error;
  const loc = ['body', 'batch', index];
  throw new InvalidBodyError([{ loc, msg: error.message, type: error.code }]);
}
