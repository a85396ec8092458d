import { Injectable } from '@nestjs/common';
import { feedbackRecord, ON_CALLS, type FeedbackRow } from '../feedback/feedback-record.js';
import { feedbackOfCalls } from '../feedback/feedback.sql.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';

/** What has been said about calls. */
@Injectable()
export class CallFeedback {
  constructor(private readonly executor: QueryExecutor) {}

  /** `summary.weave.feedback` of each call that has any, as JSON text by call id. */
  async ofCalls(
    projectId: string,
    ids: readonly string[],
    context: ReadContext,
  ): Promise<ReadonlyMap<string, string>> {
    const lists = new Map<string, string[]>();
    const found = feedbackOfCalls(projectId, ids, ON_CALLS);
    for await (const rows of this.executor.stream<FeedbackRow>(found, context)) {
      for (const row of rows) {
        const list = lists.get(row.call_id!) ?? [];
        list.push(feedbackRecord(row, ON_CALLS, projectId));
        lists.set(row.call_id!, list);
      }
    }
    return new Map([...lists].map(([id, list]) => [id, `[${list.join(',')}]`]));
  }
}
