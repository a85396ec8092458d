import { Body, Controller, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CallReadRequest,
  CallReadResponse,
  CallSchema,
  CallsQueryRequest,
  CallsQueryResponse,
  CallsQueryStatsRequest,
  CallsQueryStatsResponse,
} from '@app/contracts';
import { AsLines, JsonAnswer, jsonLines, Operation, type LineReply } from '@app/http';
import { OwnWrites } from '../own-writes.js';
import { AsReading, type Reading } from '../reading.js';
import { requireFilterAccess } from './calls-access.js';
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
    const call = await this.calls.read(body, reading);
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
    await this.begin(body, reading);
    return this.calls.stats(body, reading);
  }

  @Operation('calls/query', {
    summary: 'Read calls as one JSON answer',
    body: CallsQueryRequest,
    answer: CallsQueryResponse,
  })
  async query(@Body() body: CallsQueryRequest, @AsReading() reading: Reading): Promise<JsonAnswer> {
    await this.begin(body, reading);
    const calls: string[] = [];
    for await (const records of this.calls.query(body, reading)) calls.push(...records);
    return new JsonAnswer(`{"calls":[${calls.join(',')}]}`);
  }

  @Operation('calls/stream_query', {
    summary: 'Read calls as a stream, one per line',
    body: CallsQueryRequest,
    answer: CallSchema,
    type: 'application/jsonl',
  })
  async stream(
    @Body() body: CallsQueryRequest,
    @AsReading() reading: Reading,
    @AsLines() reply: LineReply,
  ): Promise<StreamableFile> {
    await this.begin(body, reading);
    return jsonLines(lines(this.calls.query(body, reading), reading), reply);
  }

  private async begin(body: Asked, reading: Reading): Promise<void> {
    requireFilterAccess(reading.principal, body.filter);
    await this.ownWrites.visible(reading, body.project_id);
  }
}

type Asked = Pick<CallsQueryRequest, 'project_id' | 'filter'>;

/** One call per line; and one line more, with what it took, when the caller wants to know. */
async function* lines(
  blocks: AsyncGenerator<readonly string[], void>,
  { explained }: Reading,
): AsyncGenerator<string, void> {
  for await (const records of blocks) if (records.length > 0) yield `${records.join('\n')}\n`;
  if (explained) yield `${JSON.stringify({ explain: explained })}\n`;
}
