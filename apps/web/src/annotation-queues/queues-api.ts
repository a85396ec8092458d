import { queryOptions } from '@tanstack/react-query';
import { post, postLines, send } from '../api/client.js';
import { createFeedback, removeFeedback } from '../call/use-call.js';
import type { AnnotationSpec, AnnotationValue } from '../call/annotation-spec.js';

export interface Queue {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly scorer_refs: readonly string[];
  readonly created_at: string;
}

export interface QueueStats {
  readonly queue_id: string;
  readonly total_items: number;
  readonly completed_items: number;
}

export interface QueueItem {
  readonly id: string;
  readonly call_id: string;
  readonly call_op_name: string;
  readonly display_fields: readonly string[];
  readonly annotation_state: 'unstarted' | 'in_progress' | 'completed' | 'skipped';
  readonly annotator_user_id: string | null;
  readonly position_in_queue: number | null;
}

const QUEUES_MAX = 200;
/** Items that are read at a time. */
export const ITEMS_MAX = 500;

export const queuesKey = (projectId: string) => ['annotation queues', projectId] as const;
export const queueKey = (projectId: string, id: string) =>
  ['annotation queue', projectId, id] as const;

export const queuesQuery = (projectId: string) =>
  queryOptions({
    queryKey: queuesKey(projectId),
    queryFn: async ({ signal }) => {
      const queues: Queue[] = [];
      const body = { project_id: projectId, limit: QUEUES_MAX };
      for await (const queue of postLines<Queue>('/annotation_queues/query', body, signal))
        queues.push(queue);
      const stats = await statsOf(
        projectId,
        queues.map(({ id }) => id),
        signal,
      );
      return queues.map((queue) => ({ queue, stats: stats.get(queue.id) }));
    },
  });

async function statsOf(
  projectId: string,
  queue_ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, QueueStats>> {
  if (queue_ids.length === 0) return new Map();
  const body = { project_id: projectId, queue_ids };
  const { stats } = await post<{ stats: readonly QueueStats[] }>(
    '/annotation_queues/stats',
    body,
    signal,
  );
  return new Map(stats.map((one) => [one.queue_id, one]));
}

export const queueQuery = (projectId: string, id: string) =>
  queryOptions({
    queryKey: queueKey(projectId, id),
    queryFn: async ({ signal }) => {
      const path = `/annotation_queues/${encodeURIComponent(id)}`;
      const query = `?project_id=${encodeURIComponent(projectId)}`;
      const response = await send(path + query, { method: 'GET', signal });
      const { queue } = (await response.json()) as { queue: Queue };
      const stats = await statsOf(projectId, [id], signal);
      return { queue, stats: stats.get(id) };
    },
  });

export const itemsKey = (projectId: string, id: string) =>
  ['annotation items', projectId, id] as const;

export const itemsQuery = (projectId: string, id: string) =>
  queryOptions({
    queryKey: itemsKey(projectId, id),
    queryFn: async ({ signal }) => {
      const body = { project_id: projectId, include_position: true, limit: ITEMS_MAX };
      const path = `/annotation_queues/${encodeURIComponent(id)}/items/query`;
      const { items } = await post<{ items: readonly QueueItem[] }>(path, body, signal);
      return items;
    },
  });

export interface QueueSpec {
  /** Name of the object, which names the kind of feedback. */
  readonly name: string;
  readonly ref: string;
  readonly spec: AnnotationSpec;
}

const SPEC_REF = /\/object\/([^:/]+):/;

/** The specs of a queue. A ref that is not one of a spec has nothing to fill in. */
export const specsQuery = (projectId: string, refs: readonly string[]) =>
  queryOptions({
    queryKey: ['annotation specs of', projectId, refs],
    enabled: refs.length > 0,
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<readonly QueueSpec[]> => {
      const { vals } = await post<{ vals: readonly (AnnotationSpec | null)[] }>(
        '/refs/read_batch',
        { refs },
        signal,
      );
      return refs.flatMap((ref, i) => {
        const name = SPEC_REF.exec(ref)?.[1];
        const spec = vals[i];
        return name === undefined || !spec?.field_schema ? [] : [{ name, ref, spec }];
      });
    },
  });

export async function setProgress(
  projectId: string,
  queueId: string,
  itemId: string,
  annotation_state: 'in_progress' | 'completed' | 'skipped',
): Promise<QueueItem> {
  const path = `/annotation_queues/${encodeURIComponent(queueId)}/items/${encodeURIComponent(itemId)}/progress`;
  const { item } = await post<{ item: QueueItem }>(path, {
    project_id: projectId,
    annotation_state,
  });
  return item;
}

interface GivenValue {
  readonly callId: string;
  readonly queueId: string;
  readonly spec: QueueSpec;
  readonly value: AnnotationValue;
  /** Id of the own value that this one replaces. */
  readonly earlier: string | undefined;
}

/** Saves a value and then removes the earlier one, so that a failure leaves one of them. */
export async function saveValue(
  projectId: string,
  { callId, queueId, spec, value, earlier }: GivenValue,
): Promise<void> {
  await createFeedback(projectId, callId, {
    id: newId(),
    feedback_type: `wandb.annotation.${spec.name}`,
    payload: { value },
    annotation_ref: spec.ref,
    queue_id: queueId,
  });
  if (earlier !== undefined) await removeFeedback(projectId, earlier);
}

function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
