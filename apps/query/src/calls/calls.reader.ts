import { Injectable } from '@nestjs/common';
import type {
  CallReadRequest,
  CallsQueryRequest,
  CallsQueryStatsRequest,
  CallsQueryStatsResponse,
} from '@app/contracts';
import { Questions } from '../questions.js';
import { RetentionReader } from '../projects/retention.reader.js';
import type { Reading } from '../reading.js';
import { CallExpansion } from './call-expansion.js';
import { CallExtrasReader, columnsOfExtras } from './call-extras.reader.js';
import { CallFieldsReader } from './call-fields.reader.js';
import { selectedColumns } from './call-selection.js';
import type { CallsQuestion } from './calls-question.js';
import {
  allCalls,
  callsAt,
  callsInDoubt,
  countCalls,
  edgeOfCalls,
  keysOfCalls,
  readCall,
  type CallKey,
  type CallRecordRow,
} from './calls.sql.js';

/** A page up to here is one answer of ClickHouse; more is streamed. */
const PAGE_MAX = 1000;

@Injectable()
export class CallsReader {
  constructor(
    private readonly questions: Questions,
    private readonly extras: CallExtrasReader,
    private readonly expansion: CallExpansion,
    private readonly retention: RetentionReader,
    private readonly fields: CallFieldsReader,
  ) {}

  /** The call as JSON text, or undefined. */
  async read(request: CallReadRequest, reading: Reading): Promise<string | undefined> {
    const columns = selectedColumns(undefined, columnsOfExtras(request));
    const since = await this.retention.cutoff(request.project_id);
    const question = readCall(request.project_id, request.id, columns, since);
    const rows = await this.questions.rows<CallRecordRow>(question, reading);
    const [record] = await this.extras.records(rows, request, reading);
    return record;
  }

  async stats(request: CallsQueryStatsRequest, reading: Reading): Promise<CallsQueryStatsResponse> {
    const question = await this.question(request, reading);
    const withBytes = request.include_total_storage_size === true;
    const [row] = await this.questions.rows<{ count: number | string; bytes?: number | string }>(
      countCalls(question, withBytes),
      reading,
    );
    const count = Number(row?.count ?? 0);
    return {
      count,
      has_more: question.limit !== undefined && count >= question.limit,
      total_storage_size_bytes: withBytes ? Number(row?.bytes ?? 0) : null,
    };
  }

  /** The calls as JSON texts, block by block. Nothing is asked before the first block is taken. */
  async *query(
    request: CallsQueryRequest,
    reading: Reading,
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
    reading: Reading,
  ): Promise<CallsQuestion> {
    const question = await this.asked(request, reading);
    const { byLeaves } = question;
    if (byLeaves === undefined) return question;
    const doubtful = await this.questions.rows(callsInDoubt(question, byLeaves.doubts), reading);
    if (doubtful.length > 0) return question;
    const { where, isNarrow, order } = byLeaves;
    return { ...question, where, guess: where, isNarrow, order };
  }

  private async asked(
    request: CallsQueryRequest | CallsQueryStatsRequest,
    reading: Reading,
  ): Promise<CallsQuestion> {
    const since = await this.retention.cutoff(request.project_id);
    const fields = await this.fields.fieldsOf(request, reading);
    return this.expansion.question({ ...request, since }, fields, reading);
  }

  private async *rows(
    question: CallsQuestion,
    columns: readonly string[],
    reading: Reading,
  ): AsyncGenerator<readonly CallRecordRow[], void> {
    const { limit, offset, order } = question;
    if (limit === 0) return;
    if (limit !== undefined && limit <= PAGE_MAX)
      yield await this.page(question, limit, columns, reading);
    else if (order.byTime && offset === 0)
      yield* this.questions.stream(allCalls(question, columns), reading);
    else yield* this.byKeys(question, columns, reading);
  }

  private async page(
    question: CallsQuestion,
    limit: number,
    columns: readonly string[],
    reading: Reading,
  ): Promise<CallRecordRow[]> {
    const isEdge =
      question.order.byTime !== undefined && question.offset === 0 && !question.isNarrow;
    if (isEdge) {
      const edge = edgeOfCalls(question, limit, columns);
      const rows = await this.questions.rows<CallRecordRow>(edge, reading);
      if (rows.length === limit) return rows;
    }
    const keys = await this.questions.rows<CallKey>(keysOfCalls(question), reading);
    return keys.length === 0 ? [] : this.at(question, keys, columns, reading);
  }

  /** Sorted keys are small and can be held in any number; their payloads are fetched a page at a time. */
  private async *byKeys(
    question: CallsQuestion,
    columns: readonly string[],
    reading: Reading,
  ): AsyncGenerator<readonly CallRecordRow[], void> {
    const page: CallKey[] = [];
    for await (const keys of this.questions.stream<CallKey>(keysOfCalls(question), reading)) {
      page.push(...keys);
      while (page.length >= PAGE_MAX)
        yield await this.at(question, page.splice(0, PAGE_MAX), columns, reading);
    }
    if (page.length > 0) yield await this.at(question, page, columns, reading);
  }

  /** The calls at these keys, in the order of the keys. */
  private async at(
    { projectId }: CallsQuestion,
    keys: readonly CallKey[],
    columns: readonly string[],
    reading: Reading,
  ): Promise<CallRecordRow[]> {
    const found = await this.questions.rows<CallRecordRow>(
      callsAt(projectId, keys, columns),
      reading,
    );
    const byId = new Map(found.map((row) => [row.id, row]));
    return keys.map(({ id }) => byId.get(id)).filter((row) => row !== undefined);
  }
}
