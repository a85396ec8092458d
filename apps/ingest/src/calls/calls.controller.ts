import { Body, Controller, Headers } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, type Principal } from '@app/auth';
import {
  CallEndRequest,
  CallsDeleteRequest,
  CallsDeleteResponse,
  CallStartRequest,
  CallStartResponse,
  CallUpdateRequest,
  CallUpsertBatchRequest,
  CallUpsertBatchResponse,
  EmptyResponse,
} from '@app/contracts';
import { Operation, RecordsBody } from '@app/http';
import { batchFacts, endedFact, renamedFact, startedFact } from './call-facts.js';
import { CallIntake } from './call-intake.js';
import { CallDeletion } from './call-deletion.js';

export const RETRY_ID = 'x-weave-retry-id';

@ApiTags('calls')
@Controller()
export class CallsController {
  constructor(
    private readonly intake: CallIntake,
    private readonly deletion: CallDeletion,
  ) {}

  @Operation('call/start', {
    needs: 'write',
    summary: 'Start a call',
    body: CallStartRequest,
    response: CallStartResponse,
  })
  async start(
    @Body() body: RecordsBody,
    @Caller() caller: Principal,
    @Headers(RETRY_ID) retryId?: string,
  ): Promise<CallStartResponse> {
    const { fact, response } = startedFact(body, this.intake.context(caller, retryId));
    await this.intake.accept(caller, [fact]);
    return response;
  }

  @Operation('call/end', {
    needs: 'write',
    summary: 'End a call',
    body: CallEndRequest,
    response: EmptyResponse,
  })
  async end(@Body() body: RecordsBody, @Caller() caller: Principal): Promise<EmptyResponse> {
    const { fact, response } = endedFact(body, this.intake.context(caller));
    await this.intake.accept(caller, [fact]);
    return response;
  }

  @Operation('call/upsert_batch', {
    needs: 'write',
    summary: 'Start and end many calls at once',
    body: CallUpsertBatchRequest,
    response: CallUpsertBatchResponse,
  })
  async upsertBatch(
    @Body() body: RecordsBody,
    @Caller() caller: Principal,
    @Headers(RETRY_ID) retryId?: string,
  ): Promise<CallUpsertBatchResponse> {
    const accepted = batchFacts(body, this.intake.context(caller, retryId));
    await this.intake.accept(
      caller,
      accepted.map(({ fact }) => fact),
    );
    return { res: accepted.map(({ response }) => response) };
  }

  @Operation('call/update', {
    needs: 'change',
    summary: 'Rename a call',
    body: CallUpdateRequest,
    response: EmptyResponse,
  })
  async update(
    @Body() body: CallUpdateRequest,
    @Caller() caller: Principal,
  ): Promise<EmptyResponse> {
    const context = await this.intake.orderedContext(caller, body.project_id);
    await this.intake.accept(caller, [renamedFact(body, context)]);
    return {};
  }

  @Operation('calls/delete', {
    needs: 'delete',
    summary: 'Delete calls and all their descendants',
    body: CallsDeleteRequest,
    response: CallsDeleteResponse,
  })
  async delete(
    @Body() body: CallsDeleteRequest,
    @Caller() caller: Principal,
  ): Promise<CallsDeleteResponse> {
    return { num_deleted: await this.deletion.delete(caller, body) };
  }
}
