import { Body, Controller, Headers } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, type Principal } from '@app/auth';
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
import { InvalidBodyError, JsonResponse, Operation, ProblemError } from '@app/http';
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
    await this.feedback.keep([fact]);
    return new JsonResponse(feedbackResponse(fact));
  }

  @Operation('batch/create', {
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
    for (const [index, record] of batchIn(body).entries()) {
      const fact = this.feedback.fact(record, { caller, retryId }, index);
      facts.push(await fact.catch((error: unknown) => refuseItem(error, index)));
    }
    await this.feedback.keep(facts);
    return new JsonResponse(`{"res":[${facts.map(feedbackResponse).join(',')}]}`);
  }

  @Operation('replace', {
    summary: 'Replace feedback',
    body: FeedbackReplaceRecord,
    response: FeedbackResponse,
  })
  async replace(@Body() body: Buffer, @Caller() caller: Principal): Promise<JsonResponse> {
    const record = recordOf(FeedbackReplaceRecord, body, ['payload']);
    const old = record.feedback_id;
    const fact = await this.feedback.fact(record, { caller, retryId: undefined }, 0, old);
    const { projectId, userId, receivedAt } = fact;
    const gone = fact.data.id === old ? [] : [purgedFact(old, { projectId, userId, receivedAt })];
    await this.audit.record({ userId, action: 'feedback.replace', projectId, detail: { id: old } });
    await this.feedback.keep([...gone, fact]);
    return new JsonResponse(feedbackResponse(fact));
  }

  @Operation('purge', { summary: 'Remove feedback', body: PurgeRequest, response: EmptyResponse })
  async purge(
    @Body() { project_id, query }: PurgeRequest,
    @Caller() caller: Principal,
  ): Promise<EmptyResponse> {
    const receipt = this.feedback.receipt(caller, project_id, 'delete');
    const ids = purgedIds(query);
    await this.audit.record({
      userId: caller.user,
      action: 'feedback.purge',
      projectId: project_id,
      detail: { ids },
    });
    await this.feedback.keep(ids.map((id) => purgedFact(id, receipt)));
    return {};
  }
}

/** In a batch, one broken rule is a body that does not match: clients then split the batch instead of dropping it. */
function refuseItem(error: unknown, index: number): never {
  if (!(error instanceof ProblemError) || error.status !== 400) throw error;
  const loc = ['body', 'batch', index];
  throw new InvalidBodyError([{ loc, msg: error.message, type: error.code }]);
}
