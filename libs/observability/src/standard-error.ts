import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** How long a reader that is merely slow is waited for. */
const PATIENCE_MS = 1000;
const PAUSE_MS = 5;

/**
 * Lines to standard error, at once. pino's own way there tries for ever when the reader has gone (EPIPE), and nothing else
 * runs meanwhile: a worker whose parent was killed would log that it stops, and never do it. Here such a line is dropped:
 * nobody is left to read it.
 */
export function standardError(
  write: (bytes: Buffer) => number = (bytes) => writeSync(2, bytes),
): DestinationStream {
  return {
    write(line) {
      let rest = Buffer.from(line);
      const deadline = performance.now() + PATIENCE_MS;
      while (rest.length > 0) {
        try {
          rest = rest.subarray(write(rest));
        } catch (error) {
          const isSlow = (error as NodeJS.ErrnoException).code === 'EAGAIN';
          if (!isSlow || performance.now() > deadline) return;
          pause();
        }
      }
    },
  };
}

const nobody = new Int32Array(new SharedArrayBuffer(4));
const pause = () => Atomics.wait(nobody, 0, 0, PAUSE_MS);
