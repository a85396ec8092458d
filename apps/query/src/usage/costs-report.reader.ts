import { Injectable } from '@nestjs/common';
import { sql } from '@app/clickhouse';
import type { CostsReportRequest, ReportFormat } from '@app/contracts';
import { ProblemError } from '@app/http';
import { PricedSql } from '@app/pricing';
import { millis, millisOf, nowMillis, parseTimestamp, type Millis } from '@app/wire';
import { CallFieldsReader } from '../calls/call-fields.reader.js';
import { exactCallsQuery } from '../calls/calls-query.js';
import { PricesReader } from '../costs/prices.reader.js';
import { RetentionReader } from '../projects/retention.reader.js';
import { FILE_FORMATS, FILE_SETTINGS } from '../output-format.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { agentModels, type AgentUsage } from './agent-usage.sql.js';
import { costsReport } from './costs-report.sql.js';
import { LocalTime } from './local-time.js';
import { reportGroups } from './report-groups.js';
import { modelsUsed, startedBetween, type UsageQuery, type UsageScope } from './usage-rows.sql.js';

/** ClickHouse prints the report; this process only forwards the bytes. */
const OUTPUT_SETTINGS = {
  ...FILE_SETTINGS,
  output_format_json_array_of_rows: 1,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 0,
} as const;
const YEAR_2000 = millis(Date.UTC(2000, 0, 1));

/** Reports usage and costs, grouped as requested. */
@Injectable()
export class CostsReportReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly prices: PricesReader,
    private readonly retention: RetentionReader,
    private readonly fields: CallFieldsReader,
  ) {}

  async *report(
    request: CostsReportRequest,
    format: ReportFormat,
    context: ReadContext,
    now = nowMillis(),
  ): AsyncGenerator<Buffer> {
    const { project_id, filter, query, limit } = request;
    const span = spanOf(request, now);
    const groups = reportGroups(request.group_by ?? ['model'], project_id, span);
    const since = await this.retention.cutoff(project_id, now);
    const calls = exactCallsQuery(
      { project_id, filter: filter ?? null, query: query ?? null, since },
      await this.fields.fieldsOf(request, context),
    );
    const isOfRoots = calls.isByTimeOnly && groups.every((group) => group.isOfRoots);
    const usage = startedBetween({ ...calls, isByTimeOnly: isOfRoots }, span.from, span.to);
    const scope = request.usage_scope ?? 'roots';
    const agents = hasConditions(request) ? undefined : { projectId: project_id, span, since };
    const priced = await this.priced(usage, scope, agents, context);
    const report = costsReport({
      query: usage,
      scope,
      groups,
      priced,
      agents,
      withUnused: request.include_calls_without_usage === true,
      limit: limit ?? undefined,
    });
    const output = format === 'json' ? 'JSONEachRow' : FILE_FORMATS[format].name;
    if (format === 'json') yield Buffer.from('{"results":');
    yield* this.executor.printed(report, output, OUTPUT_SETTINGS, context);
    if (format === 'json') yield Buffer.from('}');
  }

  private async priced(
    query: UsageQuery,
    scope: UsageScope,
    agents: AgentUsage | undefined,
    context: ReadContext,
  ): Promise<PricedSql> {
    const ofCalls = modelsUsed(query, scope);
    const used = agents ? sql`${ofCalls} UNION ALL ${agentModels(agents)}` : ofCalls;
    return new PricedSql(await this.prices.listOfUsed(query.projectId, used, context));
  }
}

/** Conditions are on calls, which no span of an agent fulfils. */
function hasConditions({ filter, query }: CostsReportRequest): boolean {
  const { trace_roots_only: _, ...lists } = filter ?? {};
  return Boolean(query) || Object.values(lists).some((list) => list !== null && list !== undefined);
}

function spanOf({ start, end, timezone }: CostsReportRequest, now: Millis) {
  const from = start ? millisOf(parseTimestamp(start)!) : YEAR_2000;
  const to = end ? millisOf(parseTimestamp(end)!) : millis(now + 1);
  if (to < from)
    throw new ProblemError('invalid_request', `end (${end}) is before start (${start}).`);
  return { clock: new LocalTime(timezone || 'UTC'), from: millis(Math.max(from, YEAR_2000)), to };
}
