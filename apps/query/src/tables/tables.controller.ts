import { Body, Controller, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  TableQueryRequest,
  TableQueryResponse,
  TableRowSchema,
  TablesStatsRequest,
  TablesStatsResponse,
  TableStatsRequest,
  TableStatsResponse,
} from '@app/contracts';
import { Operation } from '@app/http';
import { OwnWrites } from '../own-writes.js';
import { CurrentRead, type ReadContext } from '../read-context.js';
import { explainedLines, explainedObject } from '../explained.js';
import { jsonLines, jsonList, streamed } from '../streamed.js';
import { TablesReader } from './tables.reader.js';

@ApiTags('tables')
@Controller('table')
export class TablesController {
  constructor(
    private readonly ownWrites: OwnWrites,
    private readonly tables: TablesReader,
  ) {}

  @Operation('query', {
    summary: 'Read rows of a table',
    body: TableQueryRequest,
    answer: TableQueryResponse,
  })
  async query(
    @Body() body: TableQueryRequest,
    @CurrentRead() context: ReadContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.ownWrites.visible(context, body.project_id);
    const rows = jsonList('rows', this.tables.rows(body, context));
    const answer = await streamed(explainedObject(rows, context));
    await reply.status(200).type('application/json').send(answer);
  }

  @Operation('query_stream', {
    summary: 'Read rows of a table, one per line',
    body: TableQueryRequest,
    answer: TableRowSchema,
    type: 'application/jsonl',
  })
  async queryStream(
    @Body() body: TableQueryRequest,
    @CurrentRead() context: ReadContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.ownWrites.visible(context, body.project_id);
    const rows = jsonLines(this.tables.rows(body, context));
    const answer = await streamed(explainedLines(rows, context));
    await reply.status(200).type('application/jsonl').send(answer);
  }

  @Operation('query_stats', {
    summary: 'Count the rows of a table',
    body: TableStatsRequest,
    answer: TableStatsResponse,
  })
  async stats(
    @Body() { project_id, digest }: TableStatsRequest,
    @CurrentRead() context: ReadContext,
  ): Promise<TableStatsResponse> {
    await this.ownWrites.visible(context, project_id);
    const [table] = await this.tables.stats({ project_id, digests: [digest] }, context);
    return { count: table?.count ?? 0 };
  }

  @Operation('query_stats_batch', {
    summary: 'Count the rows of many tables',
    body: TablesStatsRequest,
    answer: TablesStatsResponse,
  })
  async statsBatch(
    @Body() body: TablesStatsRequest,
    @CurrentRead() context: ReadContext,
  ): Promise<TablesStatsResponse> {
    await this.ownWrites.visible(context, body.project_id);
    return { tables: await this.tables.stats(body, context) };
  }
}
