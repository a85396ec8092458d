import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  AgentSpansQueryRequest,
  AgentSpansQueryResponse,
  AgentSpanStatsRequest,
  AgentSpanStatsResponse,
  SpanAttributesRequest,
  SpanAttributesResponse,
} from '@app/contracts';
import { JsonResponse, Operation } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { SpanStatsReader } from './span-stats.reader.js';
import { SpansReader } from './spans.reader.js';

@ApiTags('agents')
@Controller('agents/spans')
export class SpansController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly spans: SpansReader,
    private readonly statistics: SpanStatsReader,
  ) {}

  @Operation('query', {
    needs: 'read',
    summary: 'Read spans of agents, or groups of them',
    body: AgentSpansQueryRequest,
    response: AgentSpansQueryResponse,
  })
  async query(
    @Body() body: AgentSpansQueryRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return new JsonResponse(await this.spans.query(body, context));
  }

  @Operation('stats', {
    needs: 'read',
    summary: 'Aggregate spans of agents over time',
    body: AgentSpanStatsRequest,
    response: AgentSpanStatsResponse,
  })
  async stats(
    @Body() body: AgentSpanStatsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<AgentSpanStatsResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return this.statistics.stats(body, context);
  }

  @Operation('custom-attrs/schema', {
    needs: 'read',
    summary: "List the clients' own attributes of spans",
    body: SpanAttributesRequest,
    response: SpanAttributesResponse,
  })
  async attributes(
    @Body() body: SpanAttributesRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<SpanAttributesResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return this.spans.attributes(body, context);
  }
}
