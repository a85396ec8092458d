import { mapInSlices } from '@app/http';
import { Injectable } from '@nestjs/common';
import { micros } from '@app/wire';
import { feedbackRecord, ON_CALLS, type FeedbackRow } from '../feedback/feedback-record.js';
import { feedbackOfCalls } from '../feedback/feedback.sql.js';
import { QueryExecutor } from '../query-executor.js';
import { expiryOf, RetentionReader } from '../projects/retention.reader.js';
import type { ReadContext } from '../read-context.js';
import type { Pieces } from '../expansion/ref-expander.js';
import { CallCosts } from './call-costs.js';
import { CallExpansion } from './call-expansion.js';
import { callRecord } from './call-record.js';
import { traceSizes, type CallRecordRow } from './calls.sql.js';

/** Requests data beyond the columns of a call. */
export interface ExtrasRequest {
  readonly project_id: string;
  readonly include_costs?: boolean | null;
  readonly include_feedback?: boolean | null;
  readonly include_storage_size?: boolean | null;
  readonly include_total_storage_size?: boolean | null;
  readonly include_usernames?: boolean | null;
  readonly expand_columns?: readonly string[] | null;
  readonly return_expanded_column_values?: boolean | null;
}

/** A call as JSON text; in pieces where refs were replaced by their values. */
export type CallText = string | Pieces;

/** The columns of the wire that the requested extras are made from. */
export function columnsOfExtras(request: ExtrasRequest): string[] {
  return [
    ...(request.include_costs || request.include_feedback ? ['summary'] : []),
    ...(request.include_costs ? ['usage'] : []),
    ...(request.include_storage_size ? ['storage_size_bytes'] : []),
    ...(request.include_total_storage_size ? ['total_storage_size_bytes'] : []),
    ...(request.include_usernames ? ['wb_username'] : []),
  ];
}

/** Makes the wire's calls of rows, with the requested extras. Each extra costs one statement per block of rows. */
@Injectable()
export class CallExtrasReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly costs: CallCosts,
    private readonly expansion: CallExpansion,
    private readonly retention: RetentionReader,
  ) {}

  async records(
    rows: readonly CallRecordRow[],
    request: ExtrasRequest,
    context: ReadContext,
  ): Promise<readonly string[]> {
    const ids = rows.map(({ id }) => id);
    const days = await this.retention.cached(request.project_id);
    const sizes = request.include_total_storage_size
      ? await this.sizes(rows, request, context)
      : undefined;
    const costs = request.include_costs
      ? await this.costs.ofCalls(request.project_id, rows, context)
      : undefined;
    const feedback = request.include_feedback
      ? await this.feedback(request.project_id, ids, context)
      : undefined;
    return mapInSlices(rows, (row) =>
      callRecord(row, {
        ...(days === null ? {} : { expires: expiryOf(micros(Number(row.started)), days) }),
        ...(request.include_storage_size ? { storageSize: Number(row.size_bytes) } : {}),
        ...(sizes && isRoot(row) ? { totalStorageSize: sizes.get(row.trace_id) } : {}),
        ...(request.include_usernames ? { username: row.user_id ?? '' } : {}),
        ...costOf(costs?.get(row.id)),
        ...(feedback ? { feedback: feedback.get(row.id) ?? '[]' } : {}),
      }),
    );
  }

  /** The same with the requested refs resolved, in pieces. */
  async expandedRecords(
    rows: readonly CallRecordRow[],
    request: ExtrasRequest,
    context: ReadContext,
  ): Promise<readonly CallText[]> {
    const records = await this.records(rows, request, context);
    const { expand_columns, return_expanded_column_values } = request;
    if (!expand_columns?.length || return_expanded_column_values === false) return records;
    return this.expansion.expanded(records, expand_columns, context);
  }

  /** `summary.weave.feedback` of each call that has any, as JSON text by call id. */
  private async feedback(
    projectId: string,
    callIds: readonly string[],
    context: ReadContext,
  ): Promise<ReadonlyMap<string, string>> {
    const lists = new Map<string, string[]>();
    const query = feedbackOfCalls(projectId, callIds, ON_CALLS);
    for await (const rows of this.executor.stream<FeedbackRow>(query, context)) {
      for (const row of rows) {
        const list = lists.get(row.call_id!) ?? [];
        list.push(feedbackRecord(row, ON_CALLS, projectId));
        lists.set(row.call_id!, list);
      }
    }
    return new Map([...lists].map(([id, list]) => [id, `[${list.join(',')}]`]));
  }

  private async sizes(
    rows: readonly CallRecordRow[],
    { project_id }: ExtrasRequest,
    context: ReadContext,
  ): Promise<ReadonlyMap<string, number>> {
    const traces = rows.filter(isRoot).map((row) => row.trace_id);
    if (traces.length === 0) return new Map();
    const since = await this.retention.cutoff(project_id);
    const totals = await this.executor.rows<{ trace_id: string; bytes: number | string }>(
      traceSizes(project_id, [...new Set(traces)], since),
      context,
    );
    return new Map(totals.map(({ trace_id, bytes }) => [trace_id, Number(bytes)]));
  }
}

/** Absent when no model of the call has a price. */
const costOf = (costs: string | undefined) => (costs === undefined ? {} : { costs });

const isRoot = ({ parent_id }: CallRecordRow) => parent_id === '';
