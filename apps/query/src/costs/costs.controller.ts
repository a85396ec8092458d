import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CostQueryRequest, CostQueryResponse } from '@app/contracts';
import { JsonResponse, Operation } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { CostsReader } from './costs.reader.js';

@ApiTags('costs')
@Controller('cost')
export class CostsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly costs: CostsReader,
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
}
