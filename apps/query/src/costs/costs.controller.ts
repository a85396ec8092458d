import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CostQueryResponse, RecordsQueryRequest } from '@app/contracts';
import { JsonAnswer, Operation } from '@app/http';
import { OwnWrites } from '../own-writes.js';
import { AsReading, type Reading } from '../reading.js';
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
    @AsReading() reading: Reading,
  ): Promise<JsonAnswer> {
    await this.ownWrites.visible(reading, body.project_id);
    const results = await this.costs.query(body, reading);
    return new JsonAnswer(`{"results":[${results.join(',')}]}`);
  }
}
