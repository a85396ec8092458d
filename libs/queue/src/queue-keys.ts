import { KEY_PREFIX, keyPart } from '@app/redis';

/** The keys of one stream of chunks. Calls and records differ in the prefix only. */
export function streamKeys(prefix: string) {
  return {
    /** zset: chunk id by time of receipt (ms); every chunk that is not settled yet. */
    inflight: `${prefix}:inflight`,
    /** hash: chunk id → its `PendingChunk` as JSON. */
    pendingChunks: `${prefix}:pending-chunks`,
    /** hash: `received`, `settled`, and the same per project after a colon; counts of facts. */
    ledger: `${prefix}:ledger`,
    /** hash: project → its pending bytes. */
    projectBytes: `${prefix}:project-bytes`,
    /** string: when a chunk was last settled (ms). */
    progress: `${prefix}:progress`,
    /** string: the encoded facts of a chunk. */
    payload: (chunkId: string) => `${prefix}:payload:${chunkId}`,
    /** string, expires after a minute: why a chunk cannot be stored. */
    rejection: (chunkId: string) => `${prefix}:rejection:${chunkId}`,
  } as const;
}

export type StreamKeys = ReturnType<typeof streamKeys>;

export const KEYS = {
  /** zset: short hashes of calls that have facts but no start yet, by the time of their newest fact (ms). */
  awaitingStart: `${KEY_PREFIX}:calls-awaiting-start`,
  /** hash: watermarks of repairs and checks, by name. */
  watermarks: `${KEY_PREFIX}:watermarks`,
  /** list: audit entries that are not in ClickHouse yet, as JSON. */
  audit: `${KEY_PREFIX}:audit`,
} as const;

export const jobKey = (queue: string, chunkId: string): string =>
  `${KEY_PREFIX}:${queue}:${chunkId}`;

/** set: the pending chunks of a project, or of one user in it. */
export function pendingKey(projectId: string, userId?: string): string {
  const owner = [projectId, ...(userId === undefined ? [] : [userId])].map(keyPart);
  return `${KEY_PREFIX}:pending:${owner.join(':')}`;
}
