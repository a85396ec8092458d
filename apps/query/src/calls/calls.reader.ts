import { Injectable } from '@nestjs/common';
import type {
  CallReadRequest,
  CallsQueryRequest,
  CallsQueryStatsRequest,
  CallsQueryStatsResponse,
} from '@app/contracts';
import { QueryExecutor } from '../query-executor.js';
import { RetentionReader } from '../projects/retention.reader.js';
import type { ReadContext } from '../read-context.js';
import { CallExpansion } from './call-expansion.js';
import { CallExtrasReader, columnsOfExtras } from './call-extras.reader.js';
import { CallFieldsReader } from './call-fields.reader.js';
import { selectedColumns } from './call-selection.js';
import type { CallsQuery } from './calls-query.js';
import { CallStreams } from './call-streams.js';
import { PayloadSearch, type FoundCall } from './payload-search.js';
import {
  undecidedCalls,
  countCalls,
  edgeOfCalls,
  keyList,
  keysOfCalls,
  readCall,
  type CallKey,
  type CallRecordRow,
} from './calls.sql.js';

interface Totals {
  readonly count: number;
  readonly bytes: number;
}

@Injectable()
export class CallsReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly extras: CallExtrasReader,
    private readonly expansion: CallExpansion,
    private readonly retention: RetentionReader,
    private readonly fields: CallFieldsReader,
    private readonly search: PayloadSearch,
    private readonly streams: CallStreams,
  ) {}

  /** The call as JSON text, or undefined. */
  async read(request: CallReadRequest, context: ReadContext): Promise<string | undefined> {
    const columns = selectedColumns(undefined, columnsOfExtras(request));
    const since = await this.retention.cutoff(request.project_id);
    const rowsOf = (near?: number) =>
      this.executor.rows<CallRecordRow>(
        readCall(request.project_id, request.id, columns, since, near),
        context,
      );
    const moment = timestampOfId(request.id);
    const near = moment === undefined ? [] : await rowsOf(moment);
    const rows = near.length > 0 ? near : await rowsOf();
    const [record] = await this.extras.records(rows, request, context);
    return record;
  }

  async stats(
    request: CallsQueryStatsRequest,
    context: ReadContext,
  ): Promise<CallsQueryStatsResponse> {
    const query = await this.planQuery(request, context);
    const withBytes = request.include_total_storage_size === true;
    const { count, bytes } = await this.totals(query, withBytes, context);
    return {
      count,
      has_more: query.limit !== undefined && count >= query.limit,
      total_storage_size_bytes: withBytes ? bytes : null,
    };
  }

  private async totals(
    query: CallsQuery,
    withBytes: boolean,
    context: ReadContext,
  ): Promise<Totals> {
    const found = query.readsPayloads ? await this.search.calls(query, context) : undefined;
    if (found) return totalsOf(found.slice(0, query.limit));
    const [row] = await this.executor.rows<{ count: number | string; bytes?: number | string }>(
      countCalls(query, withBytes),
      context,
    );
    return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) };
  }

  /** The calls as JSON texts, block by block. Nothing is asked before the first block is taken. */
  async *query(
    request: CallsQueryRequest,
    context: ReadContext,
  ): AsyncGenerator<readonly string[], void> {
    const query = await this.planQuery(request, context);
    const columns = selectedColumns(request.columns, columnsOfExtras(request));
    for await (const rows of this.rows(query, columns, context)) {
      yield await this.extras.records(rows, request, context);
    }
  }

  /**
   * A condition on a payload costs ClickHouse more to plan than most answers cost to find. So when a look at the rest
   * of the leaves shows that no call needs its payload read, the question is put without it.
   */
  private async planQuery(
    request: CallsQueryRequest | CallsQueryStatsRequest,
    context: ReadContext,
  ): Promise<CallsQuery> {
    const query = await this.compileQuery(request, context);
    const { byLeaves, projectId } = query;
    if (byLeaves === undefined) return query;
    const undecided = await this.executor.rows(undecidedCalls(projectId, byLeaves), context);
    if (undecided.length > 0) return query;
    const { where, isNarrow, order } = byLeaves;
    return { ...query, where, prefilter: where, isNarrow, order, readsPayloads: false };
  }

  private async compileQuery(
    request: CallsQueryRequest | CallsQueryStatsRequest,
    context: ReadContext,
  ): Promise<CallsQuery> {
    const since = await this.retention.cutoff(request.project_id);
    const fields = await this.fields.fieldsOf(request, context);
    const query = await this.expansion.compileQuery({ ...request, since }, fields, context);
    const isFew = await fields.lookups.learn(this.executor, this.streams.sizes, context);
    return isFew && query.namesFeedback ? { ...query, isNarrow: true } : query;
  }

  private async *rows(
    query: CallsQuery,
    columns: readonly string[],
    context: ReadContext,
  ): AsyncGenerator<readonly CallRecordRow[], void> {
    const { limit } = query;
    if (limit === 0) return;
    const known = await this.withFoundKeys(query, context);
    if (limit !== undefined && limit <= this.streams.sizes.page)
      yield await this.page(known, limit, columns, context);
    else yield* this.streams.rows(known, columns, context);
  }

  /** The question with its keys, when payloads had to be read to find them. The newest few are found on the way. */
  private async withFoundKeys(query: CallsQuery, context: ReadContext): Promise<CallsQuery> {
    if (!query.readsPayloads || this.isAtTheEdge(query)) return query;
    const found = await this.search.calls(query, context);
    return found ? { ...query, at: keyList(found), isNarrow: true } : query;
  }

  private async page(
    query: CallsQuery,
    limit: number,
    columns: readonly string[],
    context: ReadContext,
  ): Promise<CallRecordRow[]> {
    if (this.isAtTheEdge(query)) {
      const edge = edgeOfCalls(query, limit, columns);
      const rows = await this.executor.rows<CallRecordRow>(edge, context);
      if (rows.length === limit) return rows;
    }
    const keys = await this.executor.rows<CallKey>(keysOfCalls(query), context);
    return keys.length === 0 ? [] : this.streams.at(query, keys, columns, context);
  }

  /** A page of the newest or oldest of many calls. */
  private isAtTheEdge({ order, limit, offset, isNarrow }: CallsQuery): boolean {
    const isPage = limit !== undefined && limit <= this.streams.sizes.page && offset === 0;
    return isPage && order.byTime !== undefined && !isNarrow;
  }
}

function totalsOf(calls: readonly FoundCall[]): Totals {
  return {
    count: calls.length,
    bytes: calls.reduce((sum, { size_bytes }) => sum + Number(size_bytes), 0),
  };
}

const VERSION_7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * When an id was made, in microseconds, if it says so: both SDKs name a call by a UUID of version 7 as it starts. A hint
 * where to look first and no more, since anybody may name a call as they like.
 */
export function timestampOfId(id: string): number | undefined {
  const parts = VERSION_7.exec(id);
  return parts ? Number.parseInt(`${parts[1]}${parts[2]}`, 16) * 1000 : undefined;
}
