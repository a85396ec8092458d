import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CostQueryResponse, RecordsQueryRequest } from '@app/contracts';
import { JsonResponse, Operation } from '@app/http';
import { OwnWrites } from '../own-writes.js';
import { CurrentRead, type ReadContext } from '../read-context.js';
import { CostsReader } from './costs.reader.js';

@ApiTags('costs')
@Controller('cost')
export class CostsController {
  constructor(
    private readonly ownWrites: OwnWrites,
    private readonly costs: CostsReader,
  ) {}

  @Operation('query', {
    summary: "Read the project's prices",
    body: RecordsQueryRequest,
    answer: CostQueryResponse,
  })
  async query(
    @Body() body: RecordsQueryRequest,
    @CurrentRead() context: ReadContext,
  ): Promise<JsonResponse> {
    await this.ownWrites.visible(context, body.project_id);
    const results = await this.costs.query(body, context);
    return new JsonResponse(`{"results":[${results.join(',')}]}`);
  }
}
