import { Readable } from 'node:stream';
import { Body, Controller, Headers, Res } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { FileContentRequest, FilesStatsRequest, FilesStatsResponse } from '@app/contracts';
import { Operation, Problem } from '@app/http';
import { OwnWrites } from '../own-writes.js';
import { AsReading, type Reading } from '../reading.js';
import { rangeIn } from './byte-range.js';
import { FilesReader } from './files.reader.js';

const content = { summary: 'Read a file', body: FileContentRequest, answer: Object };
const stats = {
  summary: 'How much the files of a project take',
  body: FilesStatsRequest,
  answer: FilesStatsResponse,
};

/** Each operation has a second path, the spelling of older clients. */
@ApiTags('files')
@Controller()
export class FilesController {
  constructor(
    private readonly ownWrites: OwnWrites,
    private readonly files: FilesReader,
  ) {}

  @Operation('file/content', content)
  @ApiProduces('application/octet-stream')
  content(
    @Body() body: FileContentRequest,
    @AsReading() reading: Reading,
    @Res() reply: FastifyReply,
    @Headers('range') range?: string,
  ): Promise<void> {
    return this.send(body, reading, reply, range);
  }

  @Operation('files/content', content)
  @ApiProduces('application/octet-stream')
  contentOld(
    @Body() body: FileContentRequest,
    @AsReading() reading: Reading,
    @Res() reply: FastifyReply,
    @Headers('range') range?: string,
  ): Promise<void> {
    return this.send(body, reading, reply, range);
  }

  @Operation('files/query_stats', stats)
  stats(
    @Body() body: FilesStatsRequest,
    @AsReading() reading: Reading,
  ): Promise<FilesStatsResponse> {
    return this.total(body, reading);
  }

  @Operation('file/query_stats', stats)
  statsSingular(
    @Body() body: FilesStatsRequest,
    @AsReading() reading: Reading,
  ): Promise<FilesStatsResponse> {
    return this.total(body, reading);
  }

  @Operation('files/stats', stats)
  statsOld(
    @Body() body: FilesStatsRequest,
    @AsReading() reading: Reading,
  ): Promise<FilesStatsResponse> {
    return this.total(body, reading);
  }

  private async total(
    { project_id }: FilesStatsRequest,
    reading: Reading,
  ): Promise<FilesStatsResponse> {
    await this.ownWrites.visible(reading, project_id);
    return { total_size_bytes: await this.files.totalSize(project_id) };
  }

  private async send(
    { project_id, digest }: FileContentRequest,
    reading: Reading,
    reply: FastifyReply,
    header: string | undefined,
  ): Promise<void> {
    await this.ownWrites.visible(reading, project_id);
    const file = await this.files.find(project_id, digest);
    const range = rangeIn(header, file.size);
    if (range === undefined) throw new Problem('range_not_satisfiable');
    const { start, end } = range;
    const isPart = end - start < file.size;
    if (isPart) void reply.header('content-range', `bytes ${start}-${end - 1}/${file.size}`);
    void reply.header('accept-ranges', 'bytes').header('content-length', end - start);
    const bytes = Readable.from(this.files.bytes(file, range), { objectMode: false });
    await reply
      .status(isPart ? 206 : 200)
      .type('application/octet-stream')
      .send(bytes);
  }
}
