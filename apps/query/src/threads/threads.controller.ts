import { Body, Controller, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ThreadSchema, ThreadsQueryRequest } from '@app/contracts';
import { jsonLines, Operation } from '@app/http';
import { micros, printTimestamp } from '@app/wire';
import { explainedLines } from '../response-stream.js';
import { ReadAuthorizer } from '../read-authorizer.js';
import { RetentionReader } from '../projects/retention.reader.js';
import { QueryExecutor } from '../query-executor.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { queryThreads, type ThreadRow } from './threads.sql.js';

@ApiTags('threads')
@Controller('threads')
export class ThreadsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly executor: QueryExecutor,
    private readonly retention: RetentionReader,
  ) {}

  @Operation('stream_query', {
    needs: 'read',
    summary: 'Read threads as a stream, one per line',
    body: ThreadsQueryRequest,
    response: ThreadSchema,
    type: 'application/jsonl',
  })
  async stream(
    @Body() body: ThreadsQueryRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    const query = queryThreads(body, await this.retention.cutoff(body.project_id));
    const threads = lines(this.executor.stream<ThreadRow>(query, context));
    return jsonLines(explainedLines(threads, context));
  }
}

async function* lines(blocks: AsyncGenerator<ThreadRow[], void>): AsyncGenerator<string, void> {
  for await (const rows of blocks) {
    yield rows.map((row) => `${JSON.stringify(threadOf(row))}\n`).join('');
  }
}

function threadOf(row: ThreadRow): ThreadSchema {
  return {
    thread_id: row.thread_id,
    turn_count: Number(row.turn_count),
    start_time: printTimestamp(micros(Number(row.started))),
    last_updated: printTimestamp(micros(Number(row.updated))),
    first_turn_id: row.first_turn_id || null,
    last_turn_id: row.last_turn_id || null,
    p50_turn_duration_ms: row.p50,
    p99_turn_duration_ms: row.p99,
  };
}
