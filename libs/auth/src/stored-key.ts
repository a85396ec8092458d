import type { Grant } from './grant.js';

/** What is kept of a key beside its hash. Times are milliseconds since 1970. */
export interface StoredKey extends Grant {
  readonly name?: string;
  readonly createdAt?: number;
  readonly createdBy?: string;
  /** When it stops, or has stopped, being accepted. */
  readonly endsAt?: number;
}

export function parseStoredKey(text: string): StoredKey {
  return JSON.parse(text) as StoredKey;
}
