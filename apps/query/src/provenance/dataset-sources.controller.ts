import { Body, Controller, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  DatasetSourcesQueryRequest,
  DatasetSourcesQueryResponse,
  SourceDatasetsQueryRequest,
  SourceDatasetsQueryResponse,
} from '@app/contracts';
import { Operation } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { explainedObject, jsonList, streamed } from '../response-stream.js';
import { DatasetSourcesReader } from './dataset-sources.reader.js';

@ApiTags('datasets')
@Controller('dataset_sources')
export class DatasetSourcesController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly sources: DatasetSourcesReader,
  ) {}

  @Operation('query', {
    needs: 'read',
    summary: 'What the rows of a dataset were made from',
    body: DatasetSourcesQueryRequest,
    response: DatasetSourcesQueryResponse,
  })
  async query(
    @Body() body: DatasetSourcesQueryRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    const links = jsonList('links', this.sources.links(body, context));
    const response = await streamed(explainedObject(links, context));
    return new StreamableFile(response, { type: 'application/json' });
  }

  @Operation('source_datasets_query', {
    needs: 'read',
    summary: 'Which datasets have rows that were made from these sources',
    body: SourceDatasetsQueryRequest,
    response: SourceDatasetsQueryResponse,
  })
  async datasets(
    @Body() body: SourceDatasetsQueryRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<SourceDatasetsQueryResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return { memberships: await this.sources.datasets(body, context) };
  }
}
