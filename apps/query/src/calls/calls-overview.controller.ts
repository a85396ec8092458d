import { Body, Controller, Headers, Res, type StreamableFile } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  CallPayloadRequest,
  CallPreview,
  CallsFacetsRequest,
  CallsFacetsResponse,
  CallsHistogramRequest,
  CallsHistogramResponse,
  CallsPreviewRequest,
} from '@app/contracts';
import { jsonLines, Operation, ProblemError } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { explainedLines, type Piece } from '../response-stream.js';
import { authorizeCalls } from './calls-access.js';
import { CallsOverviewReader } from './calls-overview.reader.js';
import { CallsPreviewReader } from './calls-preview.reader.js';

const BYTES = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
} as const;

/** What a page shows around a list of calls, and inside one call. */
@ApiTags('calls')
@Controller()
export class CallsOverviewController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly overview: CallsOverviewReader,
    private readonly previews: CallsPreviewReader,
  ) {}

  @Operation('calls/preview', {
    needs: 'read',
    summary: 'Read what a list shows of calls, one per line',
    body: CallsPreviewRequest,
    response: CallPreview,
    type: 'application/jsonl',
  })
  async preview(
    @Body() body: CallsPreviewRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    const context = await authorizeCalls(this.authorizer, read, body);
    return jsonLines(explainedLines(linesOf(this.previews.query(body, context)), context));
  }

  @Operation('calls/histogram', {
    needs: 'read',
    summary: 'Calls and errors over time',
    body: CallsHistogramRequest,
    response: CallsHistogramResponse,
  })
  async histogram(
    @Body() body: CallsHistogramRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<CallsHistogramResponse> {
    return this.overview.histogram(body, await authorizeCalls(this.authorizer, read, body));
  }

  @Operation('calls/facets', {
    needs: 'read',
    summary: 'The most frequent values of fields',
    body: CallsFacetsRequest,
    response: CallsFacetsResponse,
  })
  async facets(
    @Body() body: CallsFacetsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<CallsFacetsResponse> {
    return this.overview.facets(body, await authorizeCalls(this.authorizer, read, body));
  }

  @ApiResponse({ status: 200, description: 'The requested bytes.', content: BYTES })
  @ApiResponse({ status: 304, description: 'The payload has the ETag of If-None-Match.' })
  @Operation('call/payload', {
    needs: 'read',
    summary: 'Read some bytes of a payload',
    body: CallPayloadRequest,
    response: Object,
  })
  async payload(
    @Body() body: CallPayloadRequest,
    @CurrentRead() read: IncomingRead,
    @Res() reply: FastifyReply,
    @Headers('if-none-match') known?: string,
    @Headers('if-match') expected?: string,
  ): Promise<void> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    const part = await this.overview.payload(body, context);
    if (part === undefined) throw new ProblemError('not_found', `There is no call ${body.id}.`);
    const { bytes, offset, size, etag } = part;
    if (expected !== undefined && expected !== etag) throw new ProblemError('payload_changed');
    if (offset > 0 && offset >= size) throw new ProblemError('range_not_satisfiable');
    void reply.header('etag', etag).header('x-heddle-total-bytes', size);
    if (known === etag) return void (await reply.status(304).send());
    await reply
      .status(200)
      .header('content-range', `bytes ${offset}-${offset + bytes.length - 1}/${size}`)
      .type('application/octet-stream')
      .send(bytes);
  }
}

async function* linesOf(
  blocks: AsyncGenerator<readonly CallPreview[], void>,
): AsyncGenerator<Piece, void> {
  for await (const calls of blocks) {
    yield calls.map((call) => `${JSON.stringify(call)}\n`).join('');
  }
}
