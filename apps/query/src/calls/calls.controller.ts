import { Body, Controller, Headers, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import {
  CallReadRequest,
  CallReadResponse,
  CallSchema,
  CallsExportRequest,
  CallsQueryRequest,
  CallsQueryResponse,
  CallsQueryStatsRequest,
  CallsQueryStatsResponse,
} from '@app/contracts';
import { JsonResponse, jsonLines, Operation } from '@app/http';
import { acceptedFile, FILE_FORMATS, type FileFormat } from '../output-format.js';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead, type ReadContext } from '../read-context.js';
import {
  explainedLines,
  explainedObject,
  joined,
  streamed,
  streamedBytes,
  type Piece,
} from '../response-stream.js';
import type { CallText } from './call-extras.reader.js';
import { authorizeCalls } from './calls-access.js';
import { CallsExportReader } from './calls-export.reader.js';
import { CallsReader } from './calls.reader.js';

/** Clients may prefer a file to JSON. */
const FILES = {
  'text/csv': { schema: { type: 'string' } },
  [FILE_FORMATS.parquet.type]: { schema: { type: 'string', format: 'binary' } },
} as const;

@ApiTags('calls')
@Controller()
export class CallsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly calls: CallsReader,
    private readonly exports: CallsExportReader,
  ) {}

  @Operation('call/read', {
    needs: 'read',
    summary: 'Read one call',
    body: CallReadRequest,
    response: CallReadResponse,
  })
  async read(
    @Body() body: CallReadRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    const call = await this.calls.read(body, context);
    return new JsonResponse(`{"call":${call ?? 'null'}}`);
  }

  @Operation('calls/query_stats', {
    needs: 'read',
    summary: 'Count calls',
    body: CallsQueryStatsRequest,
    response: CallsQueryStatsResponse,
  })
  async stats(
    @Body() body: CallsQueryStatsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<CallsQueryStatsResponse> {
    const context = await authorizeCalls(this.authorizer, read, body);
    return this.calls.stats(body, context);
  }

  @Operation('calls/query', {
    needs: 'read',
    summary: 'Read calls as one JSON response',
    body: CallsQueryRequest,
    response: CallsQueryResponse,
  })
  async query(
    @Body() body: CallsQueryRequest,
    @CurrentRead() read: IncomingRead,
    @Headers('accept') accept?: string,
  ): Promise<StreamableFile> {
    const context = await authorizeCalls(this.authorizer, read, body);
    const format = acceptedFile(accept);
    if (format) return this.file(body, format, context);
    const calls = list(this.calls.query(body, context));
    const response = await streamed(explainedObject(calls, context));
    return new StreamableFile(response, { type: 'application/json' });
  }

  @Operation('calls/stream_query', {
    needs: 'read',
    summary: 'Read calls as a stream, one per line',
    body: CallsQueryRequest,
    response: CallSchema,
    type: 'application/jsonl',
  })
  async stream(
    @Body() body: CallsQueryRequest,
    @CurrentRead() read: IncomingRead,
    @Headers('accept') accept?: string,
  ): Promise<StreamableFile> {
    return this.export(body, read, accept);
  }

  @ApiOkResponse({ content: FILES })
  @Operation('calls/export', {
    needs: 'read',
    summary: 'Read calls as a stream of lines, CSV or Parquet',
    body: CallsExportRequest,
    response: CallSchema,
    type: 'application/jsonl',
  })
  async export(
    @Body() body: CallsExportRequest,
    @CurrentRead() read: IncomingRead,
    @Headers('accept') accept?: string,
  ): Promise<StreamableFile> {
    const context = await authorizeCalls(this.authorizer, read, body);
    const format = body.format ?? acceptedFile(accept) ?? 'jsonl';
    if (format !== 'jsonl') return this.file(body, format, context);
    const calls = lines(this.calls.query(body, context));
    return jsonLines(explainedLines(calls, context));
  }

  private async file(
    body: CallsQueryRequest,
    format: FileFormat,
    context: ReadContext,
  ): Promise<StreamableFile> {
    const bytes = await streamedBytes(this.exports.file(body, format, context));
    return new StreamableFile(bytes, { type: FILE_FORMATS[format].type });
  }
}

/** `{"calls":[…]}` in pieces. */
async function* list(
  blocks: AsyncGenerator<readonly CallText[], void>,
): AsyncGenerator<Piece, void> {
  let before = '{"calls":[';
  for await (const records of blocks) {
    if (records.length === 0) continue;
    yield before;
    yield* joined(records, ',');
    before = ',';
  }
  yield `${before === ',' ? '' : before}]}`;
}

/** One call per line. */
async function* lines(
  blocks: AsyncGenerator<readonly CallText[], void>,
): AsyncGenerator<Piece, void> {
  for await (const records of blocks) {
    if (records.length === 0) continue;
    yield* joined(records, '\n');
    yield '\n';
  }
}
