import { Body, Controller, Headers } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, requireAccess, type Principal } from '@app/auth';
import {
  CallEndRequest,
  CallStartRequest,
  CallStartResponse,
  CallUpsertBatchRequest,
  CallUpsertBatchResponse,
  EmptyResponse,
} from '@app/contracts';
import { Operation } from '@app/http';
import { FactPublisher } from '@app/queue';
import { Clock } from '../clock.js';
import { uuidOf, uuidv7 } from '../ids.js';
import { batchFacts, endedFact, startedFact, type Accepted, type Receipt } from './call-facts.js';

const RETRY_ID = 'x-weave-retry-id';

@ApiTags('calls')
@Controller('call')
export class CallsController {
  constructor(
    private readonly publisher: FactPublisher,
    private readonly clock: Clock,
  ) {}

  @Operation('start', {
    summary: 'Start a call',
    body: CallStartRequest,
    answer: CallStartResponse,
  })
  async start(
    @Body() body: Buffer,
    @Caller() caller: Principal,
    @Headers(RETRY_ID) retryId?: string,
  ): Promise<CallStartResponse> {
    const accepted = startedFact(body, this.receipt(caller, retryId));
    await this.keep(caller, [accepted]);
    return accepted.answer;
  }

  @Operation('end', { summary: 'End a call', body: CallEndRequest, answer: EmptyResponse })
  async end(@Body() body: Buffer, @Caller() caller: Principal): Promise<EmptyResponse> {
    await this.keep(caller, [endedFact(body, this.receipt(caller))]);
    return {};
  }

  @Operation('upsert_batch', {
    summary: 'Start and end many calls at once',
    body: CallUpsertBatchRequest,
    answer: CallUpsertBatchResponse,
  })
  async upsertBatch(
    @Body() body: Buffer,
    @Caller() caller: Principal,
    @Headers(RETRY_ID) retryId?: string,
  ): Promise<CallUpsertBatchResponse> {
    const accepted = batchFacts(body, this.receipt(caller, retryId));
    await this.keep(caller, accepted);
    return { res: accepted.map(({ answer }) => answer) };
  }

  /** All projects are checked before anything is kept; resolves when all of it is on disk. */
  private async keep(caller: Principal, accepted: readonly Accepted[]): Promise<void> {
    const facts = accepted.map(({ fact }) => fact);
    requireAccess(caller, 'write', new Set(facts.map(({ projectId }) => projectId)));
    await this.publisher.publish(facts);
  }

  private receipt({ user }: Principal, retryId?: string): Receipt {
    return {
      userId: user,
      now: () => this.clock.now(),
      newId: (index, what) =>
        retryId ? uuidOf(user, retryId, index, what) : uuidv7(Math.floor(this.clock.now() / 1000)),
    };
  }
}
