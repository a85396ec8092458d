import type { Millis } from '@app/wire';
import type { Grant } from './grant.js';

/** What is kept of a key beside its hash. */
export interface StoredKey extends Grant {
  readonly name?: string;
  readonly createdAt?: Millis;
  readonly createdBy?: string;
  /** When it stops, or has stopped, being accepted. */
  readonly endsAt?: Millis;
}

export function parseStoredKey(text: string): StoredKey {
  return JSON.parse(text) as StoredKey;
}
