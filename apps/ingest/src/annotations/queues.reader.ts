import { Injectable } from '@nestjs/common';
import {
  annotationItems,
  annotationQueues,
  bind,
  sql,
  Store,
  type ItemRow,
  type QueueRow,
} from '@app/clickhouse';
import { ProblemError } from '@app/http';

export type { ItemRow, QueueRow } from '@app/clickhouse';

/** A call as an item of a queue needs it. Times are microseconds; 0 for a call that has not ended. */
export interface QueuedCall {
  readonly id: string;
  readonly started: number | string;
  readonly ended: number | string;
  readonly op_name: string;
  readonly trace_id: string;
}

/** How long a queue that was found is taken to exist. */
const KNOWN_MS = 5000;
const KNOWN_MAX = 1000;

/** Reads what a write needs to know about annotation queues. */
@Injectable()
export class QueuesReader {
  private readonly known = new Map<string, number>();

  constructor(private readonly store: Store) {}

  /** Rejects with a ProblemError unless the queue exists. */
  async queue(projectId: string, id: string): Promise<QueueRow> {
    const [row] = await this.store.rows<QueueRow>(annotationQueues(projectId, [id]));
    if (row) return row;
    const reason = `There is no annotation queue ${id.slice(0, 80)} in ${projectId}.`;
    throw new ProblemError('annotation_queue_not_found', reason);
  }

  /** Reads a queue that a batch names many times only once. */
  async exists(projectId: string, id: string): Promise<boolean> {
    const key = JSON.stringify([projectId, id]);
    if ((this.known.get(key) ?? 0) > Date.now()) return true;
    const rows = await this.store.rows<QueueRow>(annotationQueues(projectId, [id]));
    if (rows.length === 0) return false;
    if (this.known.size >= KNOWN_MAX) this.known.clear();
    this.known.set(key, Date.now() + KNOWN_MS);
    return true;
  }

  async items(projectId: string, queueId: string, ids: readonly string[]): Promise<ItemRow[]> {
    return this.store.rows<ItemRow>(annotationItems(projectId, [queueId], ids));
  }

  /** Rejects with a ProblemError unless the queue and its item exist. */
  async item(projectId: string, queueId: string, id: string): Promise<ItemRow> {
    await this.queue(projectId, queueId);
    const [row] = await this.items(projectId, queueId, [id]);
    if (row) return row;
    const reason = `The annotation queue ${queueId.slice(0, 80)} has no item ${id.slice(0, 80)}.`;
    throw new ProblemError('annotation_item_not_found', reason);
  }

  /** Those of the calls that exist. */
  async calls(projectId: string, ids: readonly string[]): Promise<Map<string, QueuedCall>> {
    const rows = await this.store
      .rows<QueuedCall>(sql`SELECT id, toUnixTimestamp64Micro(started_at) AS started,
  toUnixTimestamp64Micro(ended_at) AS ended, op_name, trace_id
FROM calls FINAL WHERE project_id = ${bind('String', projectId)} AND id IN ${bind('Array(String)', ids)}`);
    return new Map(rows.map((row) => [row.id, row]));
  }
}
