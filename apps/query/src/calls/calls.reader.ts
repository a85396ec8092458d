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
import { timestampOfId } from './id-timestamp.js';
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
    private readonly questions: QueryExecutor,
    private readonly extras: CallExtrasReader,
    private readonly expansion: CallExpansion,
    private readonly retention: RetentionReader,
    private readonly fields: CallFieldsReader,
    private readonly search: PayloadSearch,
    private readonly streams: CallStreams,
  ) {}

  /** The call as JSON text, or undefined. */
  async read(request: CallReadRequest, reading: ReadContext): Promise<string | undefined> {
    const columns = selectedColumns(undefined, columnsOfExtras(request));
    const since = await this.retention.cutoff(request.project_id);
    const rowsOf = (near?: number) =>
      this.questions.rows<CallRecordRow>(
        readCall(request.project_id, request.id, columns, since, near),
        reading,
      );
    const moment = timestampOfId(request.id);
    const near = moment === undefined ? [] : await rowsOf(moment);
    const rows = near.length > 0 ? near : await rowsOf();
    const [record] = await this.extras.records(rows, request, reading);
    return record;
  }

  async stats(
    request: CallsQueryStatsRequest,
    reading: ReadContext,
  ): Promise<CallsQueryStatsResponse> {
    const question = await this.question(request, reading);
    const withBytes = request.include_total_storage_size === true;
    const { count, bytes } = await this.totals(question, withBytes, reading);
    return {
      count,
      has_more: question.limit !== undefined && count >= question.limit,
      total_storage_size_bytes: withBytes ? bytes : null,
    };
  }

  private async totals(
    question: CallsQuery,
    withBytes: boolean,
    reading: ReadContext,
  ): Promise<Totals> {
    const found = question.readsPayloads ? await this.search.calls(question, reading) : undefined;
    if (found) return totalsOf(found.slice(0, question.limit));
    const [row] = await this.questions.rows<{ count: number | string; bytes?: number | string }>(
      countCalls(question, withBytes),
      reading,
    );
    return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) };
  }

  /** The calls as JSON texts, block by block. Nothing is asked before the first block is taken. */
  async *query(
    request: CallsQueryRequest,
    reading: ReadContext,
  ): AsyncGenerator<readonly string[], void> {
    const question = await this.question(request, reading);
    const columns = selectedColumns(request.columns, columnsOfExtras(request));
    for await (const rows of this.rows(question, columns, reading)) {
      yield await this.extras.records(rows, request, reading);
    }
  }

  /**
   * A condition on a payload costs ClickHouse more to plan than most answers cost to find. So when a look at the rest
   * of the leaves shows that no call needs its payload read, the question is put without it.
   */
  private async question(
    request: CallsQueryRequest | CallsQueryStatsRequest,
    reading: ReadContext,
  ): Promise<CallsQuery> {
    const question = await this.asked(request, reading);
    const { byLeaves, projectId } = question;
    if (byLeaves === undefined) return question;
    const doubtful = await this.questions.rows(undecidedCalls(projectId, byLeaves), reading);
    if (doubtful.length > 0) return question;
    const { where, isNarrow, order } = byLeaves;
    return { ...question, where, prefilter: where, isNarrow, order, readsPayloads: false };
  }

  private async asked(
    request: CallsQueryRequest | CallsQueryStatsRequest,
    reading: ReadContext,
  ): Promise<CallsQuery> {
    const since = await this.retention.cutoff(request.project_id);
    const fields = await this.fields.fieldsOf(request, reading);
    const question = await this.expansion.question({ ...request, since }, fields, reading);
    const isFew = await fields.lookups.learn(this.questions, this.streams.sizes, reading);
    return isFew && question.namesFeedback ? { ...question, isNarrow: true } : question;
  }

  private async *rows(
    question: CallsQuery,
    columns: readonly string[],
    reading: ReadContext,
  ): AsyncGenerator<readonly CallRecordRow[], void> {
    const { limit } = question;
    if (limit === 0) return;
    const known = await this.searched(question, reading);
    if (limit !== undefined && limit <= this.streams.sizes.page)
      yield await this.page(known, limit, columns, reading);
    else yield* this.streams.rows(known, columns, reading);
  }

  /** The question with its keys, when payloads had to be read to find them. The newest few are found on the way. */
  private async searched(question: CallsQuery, reading: ReadContext): Promise<CallsQuery> {
    if (!question.readsPayloads || this.isAtTheEdge(question)) return question;
    const found = await this.search.calls(question, reading);
    return found ? { ...question, at: keyList(found), isNarrow: true } : question;
  }

  private async page(
    question: CallsQuery,
    limit: number,
    columns: readonly string[],
    reading: ReadContext,
  ): Promise<CallRecordRow[]> {
    if (this.isAtTheEdge(question)) {
      const edge = edgeOfCalls(question, limit, columns);
      const rows = await this.questions.rows<CallRecordRow>(edge, reading);
      if (rows.length === limit) return rows;
    }
    const keys = await this.questions.rows<CallKey>(keysOfCalls(question), reading);
    return keys.length === 0 ? [] : this.streams.at(question, keys, columns, reading);
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
