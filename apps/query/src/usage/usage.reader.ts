import { Injectable } from '@nestjs/common';
import { bind, raw, sql, type Sql } from '@app/clickhouse';
import type { CallsUsageRequest, TraceUsageRequest } from '@app/contracts';
import { PriceList } from '@app/pricing';
import { CallFieldsReader } from '../calls/call-fields.reader.js';
import { exactCallsQuery } from '../calls/calls-query.js';
import { liveCalls } from '../calls/calls.sql.js';
import { PricesReader } from '../costs/prices.reader.js';
import { USAGE_COLUMNS } from '../costs/usage-columns.js';
import { RetentionReader } from '../projects/retention.reader.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import {
  InclusiveUsage,
  isUnfinished,
  unfinishedAmong,
  usageText,
  type Relative,
  type UsageCall,
} from './call-usage.js';
import type { UsageQuery } from './usage-rows.sql.js';

const LIMIT = 10_000;

type Row = UsageCall & { readonly trace_id: string };

/** Usage of calls, descendants included. */
@Injectable()
export class UsageReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly prices: PricesReader,
    private readonly retention: RetentionReader,
    private readonly fields: CallFieldsReader,
  ) {}

  ofTraces(request: TraceUsageRequest, context: ReadContext): Promise<string> {
    return this.usage(request, context);
  }

  async ofCalls(request: CallsUsageRequest, context: ReadContext): Promise<string> {
    const { call_ids, ...rest } = request;
    if (call_ids.length === 0)
      return responseText([], [], [], new InclusiveUsage(NO_PRICES), false);
    return this.usage({ ...rest, filter: { call_ids } }, context, call_ids);
  }

  private async usage(
    request: TraceUsageRequest,
    context: ReadContext,
    ids?: readonly string[],
  ): Promise<string> {
    const { project_id, filter, limit } = request;
    const since = await this.retention.cutoff(project_id);
    const query = exactCallsQuery(
      { project_id, filter: filter ?? null, query: request.query ?? null, since },
      await this.fields.fieldsOf(request, context),
    );
    const calls = await this.calls(query, limit ?? LIMIT, context);
    const descendants = await this.descendantsOfSpans(project_id, calls, context);
    const unfinished = ids
      ? await this.unfinishedBelow(project_id, calls, limit ?? LIMIT, context)
      : calls.filter(isUnfinished).map(({ id }) => id);
    const all = [...new Map([...descendants, ...calls].map((call) => [call.id, call])).values()];
    const models = request.include_costs
      ? all.flatMap(({ usage_model = [] }) => usage_model.map(String))
      : [];
    const usage = new InclusiveUsage(await this.prices.listFor(project_id, models, context));
    for (const call of all) usage.add(call);
    return responseText(
      calls,
      ids ?? calls.map(({ id }) => id),
      unfinished,
      usage,
      request.include_costs === true,
    );
  }

  /** The ids of these calls and of their descendants that have not ended: their usage is not complete. */
  private async unfinishedBelow(
    projectId: string,
    calls: readonly Row[],
    limit: number,
    context: ReadContext,
  ): Promise<string[]> {
    if (calls.length === 0) return [];
    const traces = bind('Array(String)', [...new Set(calls.map(({ trace_id }) => trace_id))]);
    const where = sql`trace_id IN ${traces}`;
    const query = { projectId, where, prefilter: where, isNarrow: true };
    const relatives = await this.executor.rows<Relative>(relativesIn(query, limit), context);
    const known = new Map<string, Relative>([...calls, ...relatives].map((one) => [one.id, one]));
    return unfinishedAmong(
      [...known.values()],
      calls.map(({ id }) => id),
    );
  }

  /** The descendants of OpenTelemetry spans; every other call already includes the usage of its own. */
  private async descendantsOfSpans(
    projectId: string,
    calls: readonly Row[],
    context: ReadContext,
  ): Promise<Row[]> {
    const traces = new Set(calls.filter(({ is_span }) => is_span).map(({ trace_id }) => trace_id));
    if (traces.size === 0) return [];
    const where = sql`trace_id IN ${bind('Array(String)', [...traces])}`;
    return this.calls({ projectId, where, prefilter: where, isNarrow: true }, undefined, context);
  }

  private calls(
    query: UsageQuery,
    limit: number | undefined,
    context: ReadContext,
  ): Promise<Row[]> {
    return this.executor.rows<Row>(usageCalls(query, limit), context);
  }
}

const NO_PRICES = new PriceList([]);

function usageCalls(query: UsageQuery, limit: number | undefined): Sql {
  const page = limit === undefined ? raw('') : sql` LIMIT ${bind('UInt64', limit)}`;
  return sql`SELECT id, trace_id, parent_id, toUnixTimestamp64Micro(started_at) AS started,
  toUnixTimestamp64Micro(ended_at) AS ended, otel_dump != '' AS is_span, ${raw(USAGE_COLUMNS.join(', '))}
FROM ${liveCalls(query, bind('String', query.projectId))} ORDER BY started_at, id${page}`;
}

/** The calls of these traces, without their usage. */
function relativesIn(query: UsageQuery, limit: number): Sql {
  return sql`SELECT id, parent_id, toUnixTimestamp64Micro(ended_at) AS ended
FROM ${liveCalls(query, bind('String', query.projectId))} ORDER BY started_at, id LIMIT ${bind('UInt64', limit)}`;
}

/** An unknown call has no usage. */
function responseText(
  calls: readonly Row[],
  ids: readonly string[],
  unfinished: readonly string[],
  usage: InclusiveUsage,
  withCosts: boolean,
): string {
  const byId = new Map(calls.map((call) => [call.id, call]));
  const members = [...new Set(ids)].map((id) => {
    const call = byId.get(id);
    return `${JSON.stringify(id)}:${call ? usageText(usage.of(call), withCosts) : '{}'}`;
  });
  return `{"call_usage":{${members.join(',')}},"unfinished_call_ids":${JSON.stringify(unfinished)}}`;
}
