import { Body, Controller, Headers, StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import {
  CallsStatsRequest,
  CallsStatsResponse,
  CallsUsageRequest,
  CostsReportRequest,
  CostsReportResponse,
  TraceUsageRequest,
  UsageResponse,
} from '@app/contracts';
import { JsonResponse, Operation } from '@app/http';
import { authorizeCalls } from '../calls/calls-access.js';
import { acceptedFile, FILE_FORMATS } from '../output-format.js';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { streamedBytes } from '../response-stream.js';
import { CallsStatsReader } from './calls-stats.reader.js';
import { CostsReportReader } from './costs-report.reader.js';
import { UsageReader } from './usage.reader.js';

@ApiTags('usage and costs')
@Controller()
export class UsageController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly statistics: CallsStatsReader,
    private readonly usage: UsageReader,
    private readonly reports: CostsReportReader,
  ) {}

  @Operation('calls/stats', {
    needs: 'read',
    summary: 'Tokens, costs, latency and errors over time',
    body: CallsStatsRequest,
    response: CallsStatsResponse,
  })
  async stats(
    @Body() body: CallsStatsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await authorizeCalls(this.authorizer, read, body);
    return new JsonResponse(await this.statistics.stats(body, context));
  }

  @Operation('trace/usage', {
    needs: 'read',
    summary: 'Usage of calls, descendants included',
    body: TraceUsageRequest,
    response: UsageResponse,
  })
  async ofTraces(
    @Body() body: TraceUsageRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await authorizeCalls(this.authorizer, read, body);
    return new JsonResponse(await this.usage.ofTraces(body, context));
  }

  @Operation('calls/usage', {
    needs: 'read',
    summary: 'Usage of these calls, descendants included',
    body: CallsUsageRequest,
    response: UsageResponse,
  })
  async ofCalls(
    @Body() body: CallsUsageRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await authorizeCalls(this.authorizer, read, body);
    return new JsonResponse(await this.usage.ofCalls(body, context));
  }

  @ApiExtraModels(CostsReportResponse)
  @ApiOkResponse({
    content: {
      'application/json': { schema: { $ref: getSchemaPath(CostsReportResponse) } },
      'text/csv': { schema: { type: 'string' } },
      'application/vnd.apache.parquet': { schema: { type: 'string', format: 'binary' } },
    },
  })
  @Operation('costs/report', {
    needs: 'read',
    summary: 'Usage and costs by model, op, user, day and more',
    body: CostsReportRequest,
    response: CostsReportResponse,
  })
  async report(
    @Body() body: CostsReportRequest,
    @CurrentRead() read: IncomingRead,
    @Headers('accept') accept?: string,
  ): Promise<StreamableFile> {
    const context = await authorizeCalls(this.authorizer, read, body);
    const format = body.format ?? acceptedFile(accept) ?? 'json';
    const type = format === 'json' ? 'application/json' : FILE_FORMATS[format].type;
    const report = await streamedBytes(this.reports.report(body, format, context));
    return new StreamableFile(report, { type });
  }
}
