import { Body, Controller, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { FeedbackQueryResponse, RecordsQueryRequest } from '@app/contracts';
import { Operation } from '@app/http';
import { OwnWrites } from '../own-writes.js';
import { AsReading, type Reading } from '../reading.js';
import { streamed } from '../streamed.js';
import { FeedbackReader } from './feedback.reader.js';

@ApiTags('feedback')
@Controller('feedback')
export class FeedbackController {
  constructor(
    private readonly ownWrites: OwnWrites,
    private readonly feedback: FeedbackReader,
  ) {}

  @Operation('query', {
    summary: 'Read feedback',
    body: RecordsQueryRequest,
    answer: FeedbackQueryResponse,
  })
  async query(
    @Body() body: RecordsQueryRequest,
    @AsReading() reading: Reading,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.ownWrites.visible(reading, body.project_id);
    const answer = await streamed(this.feedback.query(body, reading));
    await reply.status(200).type('application/json').send(answer);
  }
}
