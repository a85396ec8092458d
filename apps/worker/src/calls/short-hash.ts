import { createHash } from 'node:crypto';

/** Identifies a call in Redis by eight bytes. A collision only causes one unnecessary read of the log. */
export function shortHash(call: string): Buffer {
  return createHash('sha1').update(call).digest().subarray(0, 8);
}
