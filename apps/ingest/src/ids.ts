import { hash, randomBytes } from 'node:crypto';
import type { Millis } from '@app/wire';

/** A UUID of version 7, which sorts by time. The SDKs make the same ones. */
export function uuidv7(time: Millis, random: Buffer = randomBytes(10)): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(time, 0, 6);
  random.copy(bytes, 6);
  return withVersion(bytes, 7);
}

/** The same UUID for the same values, so that a retry gets the same id. */
export function uuidOf(...values: readonly (string | number)[]): string {
  const bytes = hash('sha256', JSON.stringify(values), 'buffer');
  return withVersion(bytes.subarray(0, 16), 8);
}

function withVersion(bytes: Buffer, version: number): string {
  bytes[6] = (bytes[6]! & 0x0f) | (version << 4);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  const cuts = [0, 8, 12, 16, 20, 32];
  return cuts
    .slice(1)
    .map((end, i) => hex.slice(cuts[i], end))
    .join('-');
}
