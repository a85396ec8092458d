import { Injectable } from '@nestjs/common';
import { annotationQueues, type ItemRow, type QueueRow } from '@app/clickhouse';
import {
  itemRecord,
  queueRecord,
  type AnnotationItemsQueryRequest,
  type AnnotationQueueSchema,
  type AnnotationQueuesQueryRequest,
  type AnnotationQueuesStatsRequest,
  type AnnotationQueuesStatsResponse,
} from '@app/contracts';
import { ProblemError } from '@app/http';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { itemCounts, queryItems, queryQueues } from './annotation-queues.sql.js';

interface CountRow {
  readonly queue_id: string;
  readonly total: number | string;
  readonly finished: number | string;
}

@Injectable()
export class AnnotationQueuesReader {
  constructor(private readonly executor: QueryExecutor) {}

  /** The queues as lines of JSON. */
  async *query(
    request: AnnotationQueuesQueryRequest,
    context: ReadContext,
  ): AsyncGenerator<string, void> {
    const { project_id } = request;
    for await (const rows of this.executor.stream<QueueRow>(queryQueues(request), context)) {
      yield rows.map((row) => `${JSON.stringify(queueRecord(project_id, row))}\n`).join('');
    }
  }

  /** Rejects with a ProblemError unless the queue exists. */
  async read(projectId: string, id: string, context: ReadContext): Promise<AnnotationQueueSchema> {
    const query = annotationQueues(projectId, [id]);
    const [row] = await this.executor.rows<QueueRow>(query, context);
    if (row) return queueRecord(projectId, row);
    const reason = `There is no annotation queue ${id.slice(0, 80)} in ${projectId}.`;
    throw new ProblemError('annotation_queue_not_found', reason);
  }

  /** The items as JSON texts. */
  async *items(
    queueId: string,
    request: AnnotationItemsQueryRequest,
    context: ReadContext,
  ): AsyncGenerator<string> {
    const { project_id } = request;
    const query = queryItems(queueId, request);
    await this.read(project_id, queueId, context);
    for await (const rows of this.executor.stream<ItemRow>(query, context)) {
      yield* rows.map((row) => JSON.stringify(itemRecord(project_id, row)));
    }
  }

  async stats(
    { project_id, queue_ids }: AnnotationQueuesStatsRequest,
    context: ReadContext,
  ): Promise<AnnotationQueuesStatsResponse> {
    if (queue_ids.length === 0) return { stats: [] };
    const [queues, counts] = await Promise.all([
      this.executor.rows<QueueRow>(annotationQueues(project_id, queue_ids), context),
      this.executor.rows<CountRow>(itemCounts(project_id, queue_ids), context),
    ]);
    const known = new Set(queues.map(({ id }) => id));
    const byQueue = new Map(counts.map((row) => [row.queue_id, row]));
    return {
      stats: [...new Set(queue_ids)]
        .filter((id) => known.has(id))
        .map((queue_id) => ({
          queue_id,
          total_items: Number(byQueue.get(queue_id)?.total ?? 0),
          completed_items: Number(byQueue.get(queue_id)?.finished ?? 0),
        })),
    };
  }
}
