import { Body, Controller, Headers } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { actorOf, Caller, type Principal } from '@app/auth';
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
import { AuditTrail } from '@app/queue';
import { renamedFact } from './call-facts.js';
import { CallIntake } from './call-intake.js';
import { CallDeletion } from './call-deletion.js';

export const RETRY_ID = 'x-weave-retry-id';

@ApiTags('calls')
@Controller()
export class CallsController {
  constructor(
    private readonly intake: CallIntake,
    private readonly deletion: CallDeletion,
    private readonly audit: AuditTrail,
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
    const [response] = await this.intake.acceptBody(body, 'start', caller, retryId);
    return response as CallStartResponse;
  }

  @Operation('call/end', {
    needs: 'write',
    summary: 'End a call',
    body: CallEndRequest,
    response: EmptyResponse,
  })
  async end(@Body() body: RecordsBody, @Caller() caller: Principal): Promise<EmptyResponse> {
    await this.intake.acceptBody(body, 'end', caller);
    return {};
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
    const responses = await this.intake.acceptBody(body, 'upsert_batch', caller, retryId);
    return { res: [...responses] };
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
    const { project_id: projectId, call_id } = body;
    const detail = { call_id };
    await this.audit.record({ ...actorOf(caller), action: 'calls.rename', projectId, detail });
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
    const { size } = await this.deletion.delete(caller, body);
    return { num_deleted: size };
  }
}
