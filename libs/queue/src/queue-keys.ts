import { KEY_PREFIX, keyPart } from '@app/redis';

/**
 * Facts about calls travel in two lanes. A project with much pending, and what is long past, goes to `bulk`, so that it
 * never stands in front of another project's single call.
 */
export const LANES = ['fast', 'bulk'] as const;
export type Lane = (typeof LANES)[number];

/** The BullMQ queue of each lane. */
export const CALLS_QUEUES = { fast: 'calls-fast', bulk: 'calls-bulk' } as const satisfies Record<
  Lane,
  string
>;

export const KEYS = {
  /** zset: chunk id by time of receipt (ms); every chunk that is not settled yet. */
  inflight: `${KEY_PREFIX}:inflight`,
  /** hash: chunk id → its `ChunkTicket` as JSON. */
  tickets: `${KEY_PREFIX}:tickets`,
  /** hash: `received`, `settled`, and the same per project after a colon; counts of facts. */
  ledger: `${KEY_PREFIX}:ledger`,
  /** hash: project → bytes of it that are pending. */
  projectBytes: `${KEY_PREFIX}:project-bytes`,
  /** string: when a chunk was last settled (ms). */
  progress: `${KEY_PREFIX}:progress`,
  /** set: short hashes of calls that have facts but no start yet. */
  held: `${KEY_PREFIX}:held`,
  /** hash: how far repairs have come, by name. */
  watermarks: `${KEY_PREFIX}:watermarks`,
  /** list: what was audited and is not in its table yet, as JSON. */
  audit: `${KEY_PREFIX}:audit`,
} as const;

export const payloadKey = (chunkId: string): string => `${KEY_PREFIX}:payload:${chunkId}`;
export const PAYLOAD_PATTERN = `${KEY_PREFIX}:payload:*`;

export const jobKey = (queue: string, chunkId: string): string =>
  `${KEY_PREFIX}:${queue}:${chunkId}`;

/** hash: short hash of a call → the worker whose flushes touched it in this stretch of time; empty for several. */
export const claimsKey = (stretch: number): string => `${KEY_PREFIX}:touched-by:${stretch}`;

/** set: the chunks of a project (of one writer in it) that are not settled yet. */
export function pendingKey(projectId: string, userId?: string): string {
  const owner = [projectId, ...(userId === undefined ? [] : [userId])].map(keyPart);
  return `${KEY_PREFIX}:pending:${owner.join(':')}`;
}

/** What has to be undone when a chunk is settled. */
export interface ChunkTicket {
  /** The BullMQ queue that has its job. */
  readonly queue: string;
  /** Sets that name the chunk as pending. */
  readonly pending: readonly string[];
  /** Facts per project. */
  readonly facts: Readonly<Record<string, number>>;
  /** Bytes per project. */
  readonly bytes: Readonly<Record<string, number>>;
}
