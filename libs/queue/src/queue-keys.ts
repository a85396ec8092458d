import { KEY_PREFIX, keyPart } from '@app/redis';

/** The keys of one stream of chunks. Calls and records differ in the prefix only. */
export function streamKeys(prefix: string) {
  return {
    /** zset: chunk id by time of receipt (ms); every chunk that is not settled yet. */
    inflight: `${prefix}:inflight`,
    /** hash: chunk id → its `ChunkTicket` as JSON. */
    tickets: `${prefix}:tickets`,
    /** hash: `received`, `settled`, and the same per project after a colon; counts of facts. */
    ledger: `${prefix}:ledger`,
    /** hash: project → bytes of it that are pending. */
    projectBytes: `${prefix}:project-bytes`,
    /** string: when a chunk was last settled (ms). */
    progress: `${prefix}:progress`,
    /** string: the encoded facts of a chunk. */
    payload: (chunkId: string) => `${prefix}:payload:${chunkId}`,
    /** string, for a minute: why a chunk can never be stored. */
    rejection: (chunkId: string) => `${prefix}:rejection:${chunkId}`,
  } as const;
}

export type StreamKeys = ReturnType<typeof streamKeys>;

export const KEYS = {
  /** set: short hashes of calls that have facts but no start yet. */
  awaitingStart: `${KEY_PREFIX}:awaiting-start`,
  /** hash: how far repairs have come, by name. */
  watermarks: `${KEY_PREFIX}:watermarks`,
  /** list: what was audited and is not in its table yet, as JSON. */
  audit: `${KEY_PREFIX}:audit`,
} as const;

export const jobKey = (queue: string, chunkId: string): string =>
  `${KEY_PREFIX}:${queue}:${chunkId}`;

/** set: the chunks of a project (of one writer in it) that are not settled yet. */
export function pendingKey(projectId: string, userId?: string): string {
  const owner = [projectId, ...(userId === undefined ? [] : [userId])].map(keyPart);
  return `${KEY_PREFIX}:pending:${owner.join(':')}`;
}
