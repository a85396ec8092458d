import { createHash } from 'node:crypto';

/** What stands for a call in sets of calls: eight bytes. A collision costs one needless look into the log. */
export function shortHash(call: string): Buffer {
  return createHash('sha1').update(call).digest().subarray(0, 8);
}
