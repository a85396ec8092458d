import { Body, Controller, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { TraceTreeBlock, TraceTreeRequest } from '@app/contracts';
import { jsonLines, Operation } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { explainedLines } from '../response-stream.js';
import { TraceTreeReader } from './trace-tree.reader.js';

@ApiTags('calls')
@Controller()
export class TracesController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly trees: TraceTreeReader,
  ) {}

  @Operation('trace/tree', {
    needs: 'read',
    summary: 'Read all calls of a trace without their payloads, by columns',
    body: TraceTreeRequest,
    response: TraceTreeBlock,
    type: 'application/jsonl',
  })
  async tree(
    @Body() body: TraceTreeRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return jsonLines(explainedLines(this.trees.lines(body, context), context));
  }
}
