import { Injectable } from '@nestjs/common';
import { HeddleError } from '@app/errors';
import { Redis, tryLock, type Work } from '@app/redis';

export class RewriteRunningError extends HeddleError {
  readonly code = 'rewrite_running';

  constructor() {
    super('Another rebuild, erasure or expiry is running; start this one when it has ended.');
  }
}

/**
 * Rebuilds, erasures and expiries rewrite the same tables. One of them runs at a time, over all processes: a rebuild that
 * has read a fact before its erasure would otherwise bring it back.
 */
@Injectable()
export class RewriteLock {
  constructor(private readonly redis: Redis) {}

  /** Rejects with RewriteRunningError while another process has the lock. */
  async run<T>(work: Work<T>): Promise<T> {
    const done = await tryLock(this.redis, 'rewrite', async (signal) => ({
      result: await work(signal),
    }));
    if (done === undefined) throw new RewriteRunningError();
    return done.result;
  }
}
