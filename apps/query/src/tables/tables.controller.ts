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
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import {
  explainedLines,
  explainedObject,
  jsonLines,
  jsonList,
  streamed,
} from '../response-stream.js';
import { TablesReader } from './tables.reader.js';

@ApiTags('tables')
@Controller('table')
export class TablesController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly tables: TablesReader,
  ) {}

  @Operation('query', {
    needs: 'read',
    summary: 'Read rows of a table',
    body: TableQueryRequest,
    response: TableQueryResponse,
  })
  async query(
    @Body() body: TableQueryRequest,
    @CurrentRead() read: IncomingRead,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    const rows = jsonList('rows', this.tables.rows(body, context));
    const response = await streamed(explainedObject(rows, context));
    await reply.status(200).type('application/json').send(response);
  }

  @Operation('query_stream', {
    needs: 'read',
    summary: 'Read rows of a table, one per line',
    body: TableQueryRequest,
    response: TableRowSchema,
    type: 'application/jsonl',
  })
  async queryStream(
    @Body() body: TableQueryRequest,
    @CurrentRead() read: IncomingRead,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    const rows = jsonLines(this.tables.rows(body, context));
    const response = await streamed(explainedLines(rows, context));
    await reply.status(200).type('application/jsonl').send(response);
  }

  @Operation('query_stats', {
    needs: 'read',
    summary: 'Count the rows of a table',
    body: TableStatsRequest,
    response: TableStatsResponse,
  })
  async stats(
    @Body() { project_id, digest }: TableStatsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<TableStatsResponse> {
    const context = await this.authorizer.authorizeRead(read, project_id);
    const [table] = await this.tables.stats({ project_id, digests: [digest] }, context);
    return { count: table?.count ?? 0 };
  }

  @Operation('query_stats_batch', {
    needs: 'read',
    summary: 'Count the rows of many tables',
    body: TablesStatsRequest,
    response: TablesStatsResponse,
  })
  async statsBatch(
    @Body() body: TablesStatsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<TablesStatsResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return { tables: await this.tables.stats(body, context) };
  }
}
