import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** How long to wait for a slow reader. */
const SLOW_READER_TIMEOUT_MS = 1000;
const RETRY_DELAY_MS = 5;

/**
 * Writes log lines to standard error synchronously. When the reader has closed the pipe (EPIPE), pino's own destination
 * retries indefinitely and blocks the process: a worker whose parent was killed would never stop. This one drops the
 * line.
 */
export function standardError(
  write: (bytes: Buffer) => number = (bytes) => writeSync(2, bytes),
): DestinationStream {
  return {
    write(line) {
      let remaining = Buffer.from(line);
      const deadline = performance.now() + SLOW_READER_TIMEOUT_MS;
      while (remaining.length > 0) {
        try {
          remaining = remaining.subarray(write(remaining));
        } catch (error) {
          const isSlow = (error as NodeJS.ErrnoException).code === 'EAGAIN';
          if (!isSlow || performance.now() > deadline) return;
          pause();
        }
      }
    },
  };
}

const neverNotified = new Int32Array(new SharedArrayBuffer(4));
const pause = () => Atomics.wait(neverNotified, 0, 0, RETRY_DELAY_MS);
