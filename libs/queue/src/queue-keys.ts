/** All keys share one hash tag, so that they live on one node of a Redis Cluster and may meet in one transaction. */
export const QUEUE_PREFIX = '{heddle}';

/** The BullMQ queue that carries facts about calls. */
export const CALLS_QUEUE = 'calls';

export const KEYS = {
  /** zset: chunk id by time of receipt (ms); every chunk that is not settled yet. */
  inflight: `${QUEUE_PREFIX}:inflight`,
  /** hash: chunk id → its `ChunkTicket` as JSON. */
  tickets: `${QUEUE_PREFIX}:tickets`,
  /** hash: `received`, `settled`, and the same per project after a colon; counts of facts. */
  ledger: `${QUEUE_PREFIX}:ledger`,
  /** string: when a chunk was last settled (ms). */
  progress: `${QUEUE_PREFIX}:progress`,
  /** hash: SHA-256 of an API key → whose it is. */
  apiKeys: `${QUEUE_PREFIX}:api-keys`,
} as const;

export const payloadKey = (chunkId: string): string => `${QUEUE_PREFIX}:payload:${chunkId}`;

export const jobKey = (queue: string, chunkId: string): string =>
  `${QUEUE_PREFIX}:${queue}:${chunkId}`;

export const lockKey = (name: string): string => `${QUEUE_PREFIX}:lock:${name}`;

/** set: the chunks of one writer in one project that are not settled yet. */
export function pendingKey(projectId: string, userId: string): string {
  return `${QUEUE_PREFIX}:pending:${encodeURIComponent(projectId)}:${encodeURIComponent(userId)}`;
}

/** What has to be undone when a chunk is settled. */
export interface ChunkTicket {
  /** Sets that name the chunk as pending. */
  readonly pending: readonly string[];
  /** Facts per project. */
  readonly facts: Readonly<Record<string, number>>;
}
