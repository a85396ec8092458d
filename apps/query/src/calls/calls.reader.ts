import { Injectable } from '@nestjs/common';
import type {
  CallReadRequest,
  CallsQueryRequest,
  CallsQueryStatsRequest,
  CallsQueryStatsResponse,
} from '@app/contracts';
import { QueryTooLargeError, type Sql } from '@app/clickhouse';
import { microsOf, millis, type Micros } from '@app/wire';
import { QueryExecutor } from '../query-executor.js';
import { RetentionReader } from '../projects/retention.reader.js';
import type { ReadContext } from '../read-context.js';
import { callDecoder, versionDecoder } from './call-decoder.js';
import { CallExtrasReader, columnsOfExtras, type CallText } from './call-extras.reader.js';
import { selectedColumns } from './call-selection.js';
import { newestVersion } from './call-versions.js';
import type { CallsQuery } from './calls-query.js';
import { CallsPlanner } from './calls-planner.js';
import { CallStreams } from './call-streams.js';
import { PayloadSearch, type FoundCall } from './payload-search.js';
import {
  countCalls,
  firstKeyRows,
  firstKeysMax,
  firstPageOfCalls,
  keyList,
  keysOfCalls,
  newestVersionOfCall,
  versionsOfCall,
  type CallKey,
  type CallRecordRow,
  type SelectedColumn,
} from './calls.sql.js';

interface Totals {
  readonly count: number;
  readonly bytes: number;
}

/** More than a few versions of almost all calls. */
const VERSIONS_MAX_BYTES = 4 * 1024 * 1024;

@Injectable()
export class CallsReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly extras: CallExtrasReader,
    private readonly planner: CallsPlanner,
    private readonly retention: RetentionReader,
    private readonly search: PayloadSearch,
    private readonly streams: CallStreams,
  ) {}

  /** The call as JSON text; undefined when it does not exist. */
  async read(request: CallReadRequest, context: ReadContext): Promise<string | undefined> {
    const columns = selectedColumns(undefined, columnsOfExtras(request));
    const since = await this.retention.cutoff(request.project_id);
    const rowNear = (timestamp?: Micros) =>
      this.visibleRow(
        (statement) => statement(request.project_id, request.id, columns, since, timestamp),
        columns,
        context,
      );
    const timestamp = timestampOfId(request.id);
    const near = timestamp === undefined ? undefined : await rowNear(timestamp);
    const row = near ?? (await rowNear());
    if (row === undefined) return undefined;
    const [record] = await this.extras.records([row], request, context);
    return record;
  }

  /** Chooses between all versions of a call, or lets ClickHouse choose when they are large. */
  private async visibleRow(
    sqlOf: (statement: typeof versionsOfCall) => Sql,
    columns: readonly SelectedColumn[],
    context: ReadContext,
  ): Promise<CallRecordRow | undefined> {
    try {
      const [all, decoder] = [sqlOf(versionsOfCall), versionDecoder(columns)];
      return newestVersion(await this.executor.rows(all, context, VERSIONS_MAX_BYTES, decoder));
    } catch (error) {
      if (!(error instanceof QueryTooLargeError)) throw error;
      const newest = sqlOf(newestVersionOfCall);
      const [row] = await this.executor.rows(newest, context, undefined, callDecoder(columns));
      return row;
    }
  }

  async stats(
    request: CallsQueryStatsRequest,
    context: ReadContext,
  ): Promise<CallsQueryStatsResponse> {
    const query = await this.planner.plan(request, context);
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
    const found = query.readsPayloads ? await this.search.find(query, context) : undefined;
    if (found) return totalsOf(found.slice(0, query.limit));
    const counted = { ...query, isNarrow: query.isNarrow && query.isIndexed };
    const [row] = await this.executor.rows<{ count: number | string; bytes?: number | string }>(
      countCalls(counted, withBytes),
      context,
    );
    return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) };
  }

  /** The calls as JSON texts, block by block. Nothing is executed before the first block is requested. */
  async *query(
    request: CallsQueryRequest,
    context: ReadContext,
  ): AsyncGenerator<readonly CallText[], void> {
    for await (const rows of this.requested(request, context))
      yield await this.extras.expandedRecords(rows, request, context);
  }

  /** The same without the values of refs. */
  async *records(
    request: CallsQueryRequest,
    context: ReadContext,
  ): AsyncGenerator<readonly string[], void> {
    for await (const rows of this.requested(request, context))
      yield await this.extras.records(rows, request, context);
  }

  private async *requested(
    request: CallsQueryRequest,
    context: ReadContext,
  ): AsyncGenerator<readonly CallRecordRow[], void> {
    const query = await this.planner.plan(request, context);
    const columns = selectedColumns(request.columns, columnsOfExtras(request));
    yield* this.rows(query, columns, context);
  }

  /** The rows of a query with the given columns, block by block. */
  async *rows(
    query: CallsQuery,
    columns: readonly SelectedColumn[],
    context: ReadContext,
  ): AsyncGenerator<readonly CallRecordRow[], void> {
    const { limit } = query;
    if (limit === 0) return;
    const searched = await this.searchPayloads(query, context);
    if (limit !== undefined && limit <= this.streams.thresholds.page)
      yield* this.page(searched, limit, columns, context);
    else yield* this.streams.rows(searched, columns, context);
  }

  /** The query with the keys of its calls, if payloads must be read to find them. A first page needs no search. */
  private async searchPayloads(query: CallsQuery, context: ReadContext): Promise<CallsQuery> {
    if (!query.readsPayloads || this.isFirstPage(query)) return query;
    const found = await this.search.find(query, context);
    return found ? { ...query, keys: keyList(found), isNarrow: true } : query;
  }

  private async *page(
    query: CallsQuery,
    limit: number,
    columns: readonly SelectedColumn[],
    context: ReadContext,
  ): AsyncGenerator<readonly CallRecordRow[], void> {
    const first = this.isFirstPage(query)
      ? await this.firstPage(query, limit, columns, context)
      : undefined;
    if (first) {
      if (first.length > 0) yield first;
      return;
    }
    const keys = await this.executor.rows<CallKey>(keysOfCalls(query), context);
    if (keys.length > 0) yield* this.streams.at(query, keys, columns, context);
  }

  /**
   * Undefined when many rows were outdated, or when the calls are too large to be in memory together. Where payloads have
   * to be searched, the keys are read on their own: when there are few of them, nothing has to be searched again.
   */
  private async firstPage(
    query: CallsQuery,
    limit: number,
    columns: readonly SelectedColumn[],
    context: ReadContext,
  ): Promise<readonly CallRecordRow[] | undefined> {
    const keys = query.readsPayloads
      ? await this.executor.rows<CallKey>(firstKeyRows(query, limit), context)
      : undefined;
    if (keys?.length === 0) return [];
    const isComplete = keys !== undefined && keys.length < firstKeysMax(limit);
    const first = firstPageOfCalls(query, limit, columns, keys && keyList(keys));
    try {
      const { bytes } = this.streams.thresholds;
      const rows = await this.executor.rows(first, context, bytes, callDecoder(columns));
      return rows.length === limit || isComplete ? rows : undefined;
    } catch (error) {
      if (error instanceof QueryTooLargeError) return undefined;
      throw error;
    }
  }

  /** Whether this is a page of the newest or the oldest of many calls. A search in payloads stops when the page is full. */
  private isFirstPage({
    order,
    limit,
    offset,
    isNarrow,
    readsPayloads,
    keys,
  }: CallsQuery): boolean {
    const isPage = limit !== undefined && limit <= this.streams.thresholds.page && offset === 0;
    const isMany = !isNarrow || (readsPayloads && keys === undefined);
    return isPage && order.byTime !== undefined && isMany;
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
 * The timestamp in an id that is a UUID of version 7, as both SDKs create when a call starts. It is only a hint
 * where to search first, since a client may choose any id.
 */
export function timestampOfId(id: string): Micros | undefined {
  const parts = VERSION_7.exec(id);
  return parts ? microsOf(millis(Number.parseInt(`${parts[1]}${parts[2]}`, 16))) : undefined;
}
