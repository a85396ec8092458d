import { encodeChunk, encodeRecords, factSize, type NewFact, type RecordFact } from '@app/events';
import { KEY_PREFIX, keyPart } from '@app/redis';

/** The keys of one stream of chunks. Calls and records differ in the prefix only. */
function streamKeys(prefix: string) {
  return {
    /** zset: chunk id by time of receipt (ms); every chunk that is not settled yet. */
    inflight: `${prefix}:inflight`,
    /** hash: chunk id → its `PendingChunk` as JSON. */
    pendingChunks: `${prefix}:pending-chunks`,
    /** hash: the same as builds before version 0.1.0 wrote it. */
    firstPendingChunks: `${prefix}:tickets`,
    /** hash: `received`, `settled`, and the same per project after a colon; counts of facts. */
    ledger: `${prefix}:ledger`,
    /** hash: project → its counts that are being moved to ClickHouse, as JSON. */
    ledgerMoves: `${prefix}:ledger-moves`,
    /** hash: project → its pending bytes. */
    projectBytes: `${prefix}:project-bytes`,
    /** string: when a chunk was last settled (ms). */
    progress: `${prefix}:progress`,
    /** string: the ZSCAN cursor at which the next run of the reconciler continues; missing before a new pass. */
    reconcileCursor: `${prefix}:reconcile-cursor`,
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
  /** string: the sequence number of the last chunk, of both streams. */
  writeSequence: `${KEY_PREFIX}:write-sequence`,
  /** list: audit entries that are not in ClickHouse yet, as JSON. */
  audit: `${KEY_PREFIX}:audit`,
  /** string: number and hash of the last audit entry in ClickHouse, as JSON. */
  auditHead: `${KEY_PREFIX}:audit-head`,
  /** string: the last time that `FactClock` has given (µs). */
  factClock: `${KEY_PREFIX}:fact-clock`,
} as const;

export const jobKey = (queue: string, chunkId: string): string =>
  `${KEY_PREFIX}:${queue}:${chunkId}`;

/** zset: the pending chunks of a project, or of one user in it, by sequence number. */
export const pendingWritesKey = (projectId: string, userId?: string): string =>
  `${KEY_PREFIX}:pending-writes:${ownerOf(projectId, userId)}`;

/** set: the same as version 0.1 wrote it, without sequence numbers. It is gone when the chunks of that version are settled. */
export const oldPendingKey = (projectId: string, userId?: string): string =>
  `${KEY_PREFIX}:pending:${ownerOf(projectId, userId)}`;

function ownerOf(projectId: string, userId?: string): string {
  return [projectId, ...(userId === undefined ? [] : [userId])].map(keyPart).join(':');
}

/**
 * Facts about calls have two lanes. Projects with much pending data, and calls that started long ago, use `bulk`, so that they
 * never delay another project's single call.
 */
export const LANES = ['fast', 'bulk'] as const;
export type Lane = (typeof LANES)[number];

/** The BullMQ queue of each lane. */
export const CALLS_QUEUES = { fast: 'calls-fast', bulk: 'calls-bulk' } as const satisfies Record<
  Lane,
  string
>;

/** The BullMQ queue of facts about records. It is separate, so that a publish never waits behind calls. */
export const RECORDS_QUEUE = 'records';

/** The fields that every fact has. */
export interface StreamFact {
  readonly projectId: string;
  /** The user whose API key sent it. */
  readonly userId: string;
}

/** The differences between the streams of calls and of records. */
export interface Stream<Fact extends StreamFact> {
  readonly keys: StreamKeys;
  readonly encode: (facts: readonly Fact[]) => Buffer;
  /** Approximate bytes of a fact in its chunk, for limits. */
  readonly sizeOf: (fact: Fact) => number;
  /** The sorted sets that contain a chunk with this fact until the chunk is settled. */
  readonly pendingWritesKeys: (fact: Fact) => readonly string[];
}

export const CALLS_STREAM: Stream<NewFact> = {
  keys: streamKeys(KEY_PREFIX),
  encode: encodeChunk,
  sizeOf: factSize,
  pendingWritesKeys: ({ projectId, userId }) => [
    pendingWritesKey(projectId),
    pendingWritesKey(projectId, userId),
  ],
};

export const RECORDS_STREAM: Stream<RecordFact> = {
  keys: streamKeys(`${KEY_PREFIX}:records`),
  encode: encodeRecords,
  sizeOf: ({ body }) => body.length,
  pendingWritesKeys: ({ projectId, userId }) => [pendingWritesKey(projectId, userId)],
};

export const STREAM_KEYS = { calls: CALLS_STREAM.keys, records: RECORDS_STREAM.keys } as const;
export type StreamName = keyof typeof STREAM_KEYS;
