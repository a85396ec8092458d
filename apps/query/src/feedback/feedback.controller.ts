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
import { OwnWrites } from '../own-writes.js';
import { CurrentRead, type ReadContext } from '../read-context.js';
import { explainedObject } from '../explained.js';
import { streamed } from '../streamed.js';
import { FeedbackStatsReader } from './feedback-stats.reader.js';
import { FeedbackReader } from './feedback.reader.js';

@ApiTags('feedback')
@Controller('feedback')
export class FeedbackController {
  constructor(
    private readonly ownWrites: OwnWrites,
    private readonly feedback: FeedbackReader,
    private readonly statistics: FeedbackStatsReader,
  ) {}

  @Operation('query', {
    summary: 'Read feedback',
    body: RecordsQueryRequest,
    answer: FeedbackQueryResponse,
  })
  async query(
    @Body() body: RecordsQueryRequest,
    @CurrentRead() context: ReadContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.ownWrites.visible(context, body.project_id);
    const answer = await streamed(explainedObject(this.feedback.query(body, context), context));
    await reply.status(200).type('application/json').send(answer);
  }

  @Operation('stats', {
    summary: 'Values in payloads over time',
    body: FeedbackStatsRequest,
    answer: FeedbackStatsResponse,
  })
  async stats(
    @Body() body: FeedbackStatsRequest,
    @CurrentRead() context: ReadContext,
  ): Promise<FeedbackStatsResponse> {
    await this.ownWrites.visible(context, body.project_id);
    return this.statistics.stats(body, context);
  }

  @Operation('aggregate', {
    summary: 'Tags and ratings of scorers, counted',
    body: FeedbackAggregateRequest,
    answer: FeedbackAggregateResponse,
  })
  async aggregate(
    @Body() body: FeedbackAggregateRequest,
    @CurrentRead() context: ReadContext,
  ): Promise<FeedbackAggregateResponse> {
    await this.ownWrites.visible(context, body.project_id);
    return this.statistics.aggregate(body, context);
  }

  @Operation('payload_schema', {
    summary: 'Which values payloads have',
    body: FeedbackSchemaRequest,
    answer: FeedbackSchemaResponse,
  })
  async payloadSchema(
    @Body() body: FeedbackSchemaRequest,
    @CurrentRead() context: ReadContext,
  ): Promise<FeedbackSchemaResponse> {
    await this.ownWrites.visible(context, body.project_id);
    return this.statistics.payloadSchema(body, context);
  }
}
