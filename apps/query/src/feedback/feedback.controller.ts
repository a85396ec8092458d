import { Body, Controller, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  FeedbackAggregateRequest,
  FeedbackAggregateResponse,
  FeedbackQueryResponse,
  FeedbackSchemaRequest,
  FeedbackSchemaResponse,
  FeedbackStatsRequest,
  FeedbackStatsResponse,
  RecordsQueryRequest,
} from '@app/contracts';
import { Operation } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { explainedObject, streamed } from '../response-stream.js';
import { FeedbackStatsReader } from './feedback-stats.reader.js';
import { FeedbackReader } from './feedback.reader.js';

@ApiTags('feedback')
@Controller('feedback')
export class FeedbackController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly feedback: FeedbackReader,
    private readonly statistics: FeedbackStatsReader,
  ) {}

  @Operation('query', {
    needs: 'read',
    summary: 'Read feedback',
    body: RecordsQueryRequest,
    response: FeedbackQueryResponse,
  })
  async query(
    @Body() body: RecordsQueryRequest,
    @CurrentRead() read: IncomingRead,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    const response = await streamed(explainedObject(this.feedback.query(body, context), context));
    await reply.status(200).type('application/json').send(response);
  }

  @Operation('stats', {
    needs: 'read',
    summary: 'Values in payloads over time',
    body: FeedbackStatsRequest,
    response: FeedbackStatsResponse,
  })
  async stats(
    @Body() body: FeedbackStatsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<FeedbackStatsResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return this.statistics.stats(body, context);
  }

  @Operation('aggregate', {
    needs: 'read',
    summary: 'Tags and ratings of scorers, counted',
    body: FeedbackAggregateRequest,
    response: FeedbackAggregateResponse,
  })
  async aggregate(
    @Body() body: FeedbackAggregateRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<FeedbackAggregateResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return this.statistics.aggregate(body, context);
  }

  @Operation('payload_schema', {
    needs: 'read',
    summary: 'Paths and types of the values in payloads',
    body: FeedbackSchemaRequest,
    response: FeedbackSchemaResponse,
  })
  async payloadSchema(
    @Body() body: FeedbackSchemaRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<FeedbackSchemaResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return this.statistics.payloadSchema(body, context);
  }
}
