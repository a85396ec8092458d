import { Injectable } from '@nestjs/common';
import type { RecordsQueryRequest } from '@app/contracts';
import { ExprError } from '@app/query-language';
import { pageOf } from '../paging.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { recordsQuery, type RecordsQuery } from '../records-query.js';
import { FEEDBACK_FIELDS } from './feedback-fields.js';
import { responseFields, feedbackRecord, type FeedbackRow } from './feedback-record.js';
import { countFeedback, queryFeedback } from './feedback.sql.js';

const COUNT = 'count(*)';

@Injectable()
export class FeedbackReader {
  constructor(private readonly executor: QueryExecutor) {}

  /** `{"result":[…],"total_count":n}` in pieces: memory does not grow with the number of records. */
  async *query(request: RecordsQueryRequest, context: ReadContext): AsyncGenerator<string> {
    const { project_id } = request;
    const query = recordsQuery(request, FEEDBACK_FIELDS);
    const isCount = countsOnly(request.fields);
    const fields = isCount ? [] : responseFields(request.fields);
    if (isCount) {
      const total = await this.count(project_id, query, context);
      yield JSON.stringify({ result: [{ [COUNT]: total }], total_count: total });
      return;
    }
    const found = queryFeedback(project_id, query, fields);
    let before = '{"result":[';
    let read = 0;
    for await (const rows of this.executor.stream<FeedbackRow>(found, context)) {
      read += rows.length;
      yield before + rows.map((row) => feedbackRecord(row, fields, project_id)).join(',');
      before = ',';
    }
    const { limit = Infinity, offset } = pageOf(request);
    // A page that is not full says how many there are.
    const isLast = read < limit && (read > 0 || offset === 0);
    const total = isLast ? offset + read : await this.count(project_id, query, context);
    yield `${before === ',' ? '' : before}],"total_count":${total}}`;
  }

  private async count(
    projectId: string,
    query: RecordsQuery,
    context: ReadContext,
  ): Promise<number> {
    const [row] = await this.executor.rows<{ count: number | string }>(
      countFeedback(projectId, query),
      context,
    );
    return Number(row?.count ?? 0);
  }
}

function countsOnly(fields: readonly string[] | null | undefined): boolean {
  const at = fields?.indexOf(COUNT) ?? -1;
  if (at === -1) return false;
  if (fields!.some((field) => field !== COUNT)) {
    throw new ExprError('value', ['fields', at], `${COUNT} stands alone, without other fields`);
  }
  return true;
}
