import type { Millis } from '@app/wire';
import type { Grant } from './grant.js';

/** The data stored with the hash of a key. */
export interface StoredKey extends Grant {
  readonly name?: string;
  readonly createdAt?: Millis;
  readonly createdBy?: string;
  /** The key is not accepted from this time on. */
  readonly endsAt?: Millis;
}

export function parseStoredKey(text: string): StoredKey {
  return JSON.parse(text) as StoredKey;
}
