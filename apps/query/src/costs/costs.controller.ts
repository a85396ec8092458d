import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CostQueryRequest,
  CostQueryResponse,
  RepricingRequest,
  RepricingResponse,
  WhatIfRequest,
  WhatIfResponse,
} from '@app/contracts';
import { JsonResponse, Operation } from '@app/http';
import { StalePrices } from '@app/queue';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { CostsReader } from './costs.reader.js';
import { WhatIfReader } from './what-if.reader.js';

@ApiTags('costs')
@Controller('cost')
export class CostsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly costs: CostsReader,
    private readonly whatIfs: WhatIfReader,
    private readonly stale: StalePrices,
  ) {}

  @Operation('query', {
    needs: 'read',
    summary: "Read the project's prices, and the defaults on request",
    body: CostQueryRequest,
    response: CostQueryResponse,
  })
  async query(
    @Body() body: CostQueryRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    const results = await this.costs.query(body, context);
    return new JsonResponse(`{"results":[${results.join(',')}]}`);
  }

  @Operation('what_if', {
    needs: 'read',
    summary: 'What usage costs now and would cost with other prices; nothing is written',
    body: WhatIfRequest,
    response: WhatIfResponse,
  })
  async whatIf(
    @Body() body: WhatIfRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<WhatIfResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return this.whatIfs.read(body, context);
  }

  @Operation('repricing', {
    needs: 'read',
    summary: 'How far the stored costs of calls are refreshed after a change of prices',
    body: RepricingRequest,
    response: RepricingResponse,
  })
  async repricing(
    @Body() { project_id }: RepricingRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<RepricingResponse> {
    await this.authorizer.authorizeRead(read, project_id);
    const stale = await this.stale.of(project_id);
    return {
      is_current: stale === undefined,
      changed_at: stale === undefined ? null : new Date(stale.changedAt).toISOString(),
      calls_done: stale?.done ?? 0,
      calls_total: stale?.total ?? 0,
    };
  }
}
