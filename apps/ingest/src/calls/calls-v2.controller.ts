import { Body, Controller, Headers, Param } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Caller, type Principal } from '@app/auth';
import {
  CallEndRequest,
  CallsCompleteRequest,
  CallStartRequest,
  CallStartResponse,
  EmptyResponse,
} from '@app/contracts';
import { Operation, RecordsBody } from '@app/http';
import { CallIntake } from './call-intake.js';
import { RETRY_ID } from './calls.controller.js';

/** The path and every record name a project. The caller needs access to all of them. */
@ApiTags('calls')
@ApiParam({ name: 'entity', type: String })
@ApiParam({ name: 'project', type: String })
@Controller('v2/:entity/:project')
export class CallsV2Controller {
  constructor(private readonly intake: CallIntake) {}

  @Operation('calls/complete', {
    needs: 'write',
    summary: 'Store whole calls',
    body: CallsCompleteRequest,
    response: EmptyResponse,
  })
  async complete(
    @Body() body: RecordsBody,
    @Caller() caller: Principal,
    @Param() path: ProjectPath,
  ): Promise<EmptyResponse> {
    await this.intake.requirePath(body, caller, projectOf(path));
    await this.intake.acceptBody(body, 'complete', caller);
    return {};
  }

  @Operation('call/start', {
    needs: 'write',
    summary: 'Start a call that must be visible while it runs',
    body: CallStartRequest,
    response: CallStartResponse,
  })
  async start(
    @Body() body: RecordsBody,
    @Caller() caller: Principal,
    @Param() path: ProjectPath,
    @Headers(RETRY_ID) retryId?: string,
  ): Promise<CallStartResponse> {
    await this.intake.requirePath(body, caller, projectOf(path));
    const [response] = await this.intake.acceptBody(body, 'start', caller, retryId);
    return response as CallStartResponse;
  }

  @Operation('call/end', {
    needs: 'write',
    summary: 'End such a call, or any other',
    body: CallEndRequest,
    response: EmptyResponse,
  })
  async end(
    @Body() body: RecordsBody,
    @Caller() caller: Principal,
    @Param() path: ProjectPath,
  ): Promise<EmptyResponse> {
    await this.intake.requirePath(body, caller, projectOf(path));
    await this.intake.acceptBody(body, 'end', caller);
    return {};
  }
}

interface ProjectPath {
  readonly entity: string;
  readonly project: string;
}

const projectOf = ({ entity, project }: ProjectPath) => `${entity}/${project}`;
