import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CallReadRequest,
  CallReadResponse,
  CallsQueryStatsRequest,
  CallsQueryStatsResponse,
} from '@app/contracts';
import { JsonAnswer, Operation, Problem } from '@app/http';
import { AsReading, OwnWrites, type Reading } from '../own-writes.js';
import { CallsReader } from './calls.reader.js';

@ApiTags('calls')
@Controller()
export class CallsController {
  constructor(
    private readonly ownWrites: OwnWrites,
    private readonly calls: CallsReader,
  ) {}

  @Operation('call/read', {
    summary: 'Read one call',
    body: CallReadRequest,
    answer: CallReadResponse,
  })
  async read(@Body() body: CallReadRequest, @AsReading() reading: Reading): Promise<JsonAnswer> {
    await this.ownWrites.visible(reading, body.project_id);
    const call = await this.calls.read(body);
    return new JsonAnswer(`{"call":${call ?? 'null'}}`);
  }

  @Operation('calls/query_stats', {
    summary: 'Count calls',
    body: CallsQueryStatsRequest,
    answer: CallsQueryStatsResponse,
  })
  async stats(
    @Body() body: CallsQueryStatsRequest,
    @AsReading() reading: Reading,
  ): Promise<CallsQueryStatsResponse> {
    if (body.query) {
      throw new Problem(
        'not_served_yet',
        'query expressions are not served yet; use filter instead.',
      );
    }
    await this.ownWrites.visible(reading, body.project_id);
    return this.calls.stats(body);
  }
}
