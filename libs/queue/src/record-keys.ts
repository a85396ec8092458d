import { KEY_PREFIX } from '@app/redis';

/** The BullMQ queue of facts about records: its own, so that a publish never waits behind calls. */
export const RECORDS_QUEUE = 'records';

export const RECORD_KEYS = {
  /** zset: chunk id by time of receipt (ms); every chunk that is not settled yet. */
  inflight: `${KEY_PREFIX}:records:inflight`,
  /** hash: chunk id → its `RecordTicket` as JSON. */
  tickets: `${KEY_PREFIX}:records:tickets`,
  /** hash: `received`, `settled`, and the same per project after a colon; counts of facts. */
  ledger: `${KEY_PREFIX}:records:ledger`,
  /** string: when a chunk was last settled (ms). */
  progress: `${KEY_PREFIX}:records:progress`,
} as const;

/** What has to be undone when a chunk is settled. */
export interface RecordTicket {
  /** Sets that name the chunk as pending. */
  readonly pending: readonly string[];
  /** Facts per project. */
  readonly facts: Readonly<Record<string, number>>;
}

export const recordPayloadKey = (chunkId: string): string =>
  `${KEY_PREFIX}:records:payload:${chunkId}`;

/** string: the seq of the project's last fact. */
export const clockKey = (projectId: string): string => `${KEY_PREFIX}:records:clock:${projectId}`;

/**
 * hash: digest → version index of one name, `@next` the next index, `@class` the class the name is bound to. A copy of
 * what ClickHouse holds, kept where publishing is decided; when it is gone it is filled from there.
 */
export const versionsKey = (projectId: string, kind: string, objectId: string): string =>
  `${KEY_PREFIX}:records:versions:${kind}:${objectId}:${projectId}`;

export const VERSIONS_PATTERN = `${KEY_PREFIX}:records:versions:*`;

/** string, for a minute: why a chunk was given up. */
export const givenUpKey = (chunkId: string): string => `${KEY_PREFIX}:records:gone:${chunkId}`;
