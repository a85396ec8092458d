import { HeddleError } from '@app/errors';

/** A flush that has run for longer is not continued. */
export const MAX_FLUSH_MS = 3_600_000;

/** The chunks of the flush return to the queue. */
class FlushTooOldError extends HeddleError {
  readonly code = 'flush_too_old';
}

/**
 * Throws when the flush began too long ago. Its worker was paused: another worker may have stored the facts meanwhile, and an
 * erasure may have removed them. A job deletes what a younger flush stores after an erasure.
 */
export function requireYoung(beganAt: number, now = Date.now()): void {
  if (now - beganAt > MAX_FLUSH_MS)
    throw new FlushTooOldError('The flush was paused for too long; its chunks are read again.');
}
