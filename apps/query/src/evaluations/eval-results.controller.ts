import { Body, Controller, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EvalResultsRequest, EvalResultsResponse } from '@app/contracts';
import { ApiProjectPath, Operation, PathProject, PROJECT_PATH } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { explainedObject, streamed } from '../response-stream.js';
import { EvalResultsReader } from './eval-results.reader.js';

@ApiTags('evaluations')
@ApiProjectPath()
@Controller(PROJECT_PATH)
export class EvalResultsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly results: EvalResultsReader,
  ) {}

  @Operation('eval_results/query', {
    needs: 'read',
    summary: 'Compare the results of evaluations row by row',
    body: EvalResultsRequest,
    response: EvalResultsResponse,
  })
  async query(
    @Body() body: EvalResultsRequest,
    @PathProject() projectId: string,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    const context = await this.authorizer.authorizeRead(read, projectId);
    const pieces = explainedObject(this.results.pieces(projectId, body, context), context);
    return new StreamableFile(await streamed(pieces), { type: 'application/json' });
  }
}
