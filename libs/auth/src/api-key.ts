import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Millis } from '@app/wire';
import type { Grant } from './project-access.js';

/** A new key: 256 random bits after a prefix that secret scanners can find. */
export function newApiKey(): string {
  return `hdl_${randomBytes(32).toString('base64url')}`;
}

/** Only this hash of a key is stored. */
export function hashOf(key: string): string {
  return hash('sha256', key, 'hex');
}

/** An id that may be shown and logged: the key cannot be computed from the beginning of its hash. */
export function keyIdOf(hash: string): string {
  return hash.slice(0, 12);
}

export function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** The header that hosted Weave documents for exporters of OpenTelemetry. */
const WANDB_KEY = 'wandb-api-key';

/** Whether the request has a key, valid or not. */
export const hasKey = (headers: IncomingHttpHeaders): boolean =>
  headers.authorization !== undefined || headers[WANDB_KEY] !== undefined;

/** The key of a request: the password of Basic, a Bearer token, or the header of its own. */
export function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const own = headers[WANDB_KEY];
  return headers.authorization === undefined && typeof own === 'string'
    ? own.trim() || undefined
    : keyInAuthorization(headers.authorization);
}

function keyInAuthorization(header: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(\w+)\s+(\S+)\s*$/.exec(header ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? undefined : pair.slice(colon + 1) || undefined;
}

/** The data stored with the hash of a key. */
export interface StoredKey extends Grant {
  readonly name?: string;
  readonly createdAt?: Millis;
  readonly createdBy?: string;
  /** The key is not accepted from this time on. */
  readonly endsAt?: Millis;
  /** The addresses and networks from which the key is accepted; all when absent. */
  readonly addresses?: readonly string[];
}

export function parseStoredKey(text: string): StoredKey {
  return JSON.parse(text) as StoredKey;
}
