import { Body, Controller, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, requireAccess, type Principal } from '@app/auth';
import { RuntimeApplyRequest, RuntimeApplyResponse } from '@app/contracts';
import { ApiProjectPath, Operation, PathProject, PROJECT_PATH } from '@app/http';
import { runtimeOf, runtimeResponse } from './runtime-values.js';
import { RuntimeStore } from './runtime-store.js';

/** Endpoints of models. They are stored for clients; Heddle calls none of them. */
@ApiTags('runtimes')
@ApiProjectPath()
@Controller(PROJECT_PATH)
export class RuntimesController {
  constructor(private readonly runtimes: RuntimeStore) {}

  @Operation('runtimes/:runtime_name', {
    method: 'PUT',
    needs: 'change',
    summary: 'Store a runtime: an endpoint and all of its models',
    body: RuntimeApplyRequest,
    response: RuntimeApplyResponse,
  })
  async apply(
    @Param('runtime_name') name: string,
    @PathProject() projectId: string,
    @Body() body: RuntimeApplyRequest,
    @Caller() caller: Principal,
  ): Promise<RuntimeApplyResponse> {
    requireAccess(caller, 'change', [projectId]);
    const runtime = runtimeOf(name, body);
    await this.runtimes.store(caller, projectId, runtime);
    return runtimeResponse(runtime);
  }
}
