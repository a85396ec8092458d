import { Body, Controller, Headers, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { FileContentRequest, FilesStatsRequest, FilesStatsResponse } from '@app/contracts';
import { Operation, ProblemError } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { streamedBytes } from '../response-stream.js';
import { rangeIn } from './byte-range.js';
import { FilesReader } from './files.reader.js';

const BYTES = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
} as const;

/** Each operation has a second path, the spelling of older clients. */
@ApiTags('files')
@Controller()
export class FilesController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly files: FilesReader,
  ) {}

  @ApiResponse({ status: 200, description: 'The whole file.', content: BYTES })
  @ApiResponse({ status: 206, description: 'The requested range.', content: BYTES })
  @Operation(['file/content', 'files/content'], {
    needs: 'read',
    summary: 'Read a file',
    body: FileContentRequest,
    response: Object,
  })
  async content(
    @Body() { project_id, digest }: FileContentRequest,
    @CurrentRead() read: IncomingRead,
    @Res() reply: FastifyReply,
    @Headers('range') header?: string,
  ): Promise<void> {
    const context = await this.authorizer.authorizeRead(read, project_id);
    const file = await this.files.find(project_id, digest, context);
    const range = rangeIn(header, file.size);
    if (range === undefined) throw new ProblemError('range_not_satisfiable');
    const bytes = await streamedBytes(this.files.bytes(file, range, context));
    const { start, end } = range;
    const isPart = end - start < file.size;
    if (isPart) void reply.header('content-range', `bytes ${start}-${end - 1}/${file.size}`);
    void reply.header('accept-ranges', 'bytes').header('content-length', end - start);
    await reply
      .status(isPart ? 206 : 200)
      .type('application/octet-stream')
      .send(bytes);
  }

  @Operation(['files/query_stats', 'file/query_stats', 'files/stats'], {
    needs: 'read',
    summary: 'Storage size of the files of a project',
    body: FilesStatsRequest,
    response: FilesStatsResponse,
  })
  async stats(
    @Body() { project_id }: FilesStatsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<FilesStatsResponse> {
    const context = await this.authorizer.authorizeRead(read, project_id);
    return { total_size_bytes: await this.files.totalSize(project_id, context) };
  }
}
