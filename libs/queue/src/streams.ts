import { encodeChunk, encodeRecords, factSize, type NewFact, type RecordFact } from '@app/events';
import { KEY_PREFIX } from '@app/redis';
import { pendingKey, streamKeys, type StreamKeys } from './queue-keys.js';

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
  /** The sets that contain a chunk with this fact until the chunk is settled. */
  readonly pendingKeys: (fact: Fact) => readonly string[];
}

export const CALLS_STREAM: Stream<NewFact> = {
  keys: streamKeys(KEY_PREFIX),
  encode: encodeChunk,
  sizeOf: factSize,
  pendingKeys: ({ projectId, userId }) => [pendingKey(projectId), pendingKey(projectId, userId)],
};

export const RECORDS_STREAM: Stream<RecordFact> = {
  keys: streamKeys(`${KEY_PREFIX}:records`),
  encode: encodeRecords,
  sizeOf: ({ body }) => body.length,
  pendingKeys: ({ projectId, userId }) => [pendingKey(projectId, userId)],
};

export const STREAM_KEYS = { calls: CALLS_STREAM.keys, records: RECORDS_STREAM.keys } as const;
export type StreamName = keyof typeof STREAM_KEYS;
