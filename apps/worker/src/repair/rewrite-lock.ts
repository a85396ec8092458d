import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { HeddleError } from '@app/errors';
import { Redis, tryLock, type Work } from '@app/redis';

export class RewriteRunningError extends HeddleError {
  readonly code = 'rewrite_running';

  constructor(what = 'rebuild, erasure, expiry or backup') {
    super(`Another ${what} is running; start this one when it has ended.`);
  }
}

/** A step refolds a thousand calls or reprices a month, which takes seconds. */
const STEP_WITHIN_MS = 120_000;
const POLL_MS = 50;

/**
 * Rebuilds, erasures and expiries rewrite the same tables, and repairs and repricing insert rows that they have read before.
 * One of them runs at a time, over all processes: a row that was read before its erasure would otherwise come back. Repairs
 * and repricing run in short steps; a rewrite waits for the step in progress, and no step begins before the rewrite ends. A backup
 * has the lock, too: tables that are copied one after the other must not be rewritten in between.
 */
@Injectable()
export class RewriteLock {
  constructor(private readonly redis: Redis) {}

  /** Rejects with RewriteRunningError while another rewrite runs. */
  run<T>(work: Work<T>): Promise<T> {
    return this.locked('rewrite', async (rewrite) => {
      const withBoth: Work<T> = (step) => work(AbortSignal.any([rewrite, step]));
      const deadline = performance.now() + STEP_WITHIN_MS;
      for (;;) {
        const done = await this.tried('rewrite-step', withBoth);
        if (done !== undefined) return done.result;
        if (performance.now() > deadline) throw new RewriteRunningError('repair or repricing');
        await sleep(POLL_MS);
      }
    });
  }

  /** Rejects with RewriteRunningError while a rewrite or another step runs. */
  step<T>(work: Work<T>): Promise<T> {
    return this.locked(
      'rewrite-step',
      work,
      'rebuild, erasure, expiry, backup, repair or repricing',
    );
  }

  private async locked<T>(name: string, work: Work<T>, what?: string): Promise<T> {
    const done = await this.tried(name, work);
    if (done === undefined) throw new RewriteRunningError(what);
    return done.result;
  }

  /** Undefined while another process has the lock. */
  private tried<T>(name: string, work: Work<T>): Promise<{ readonly result: T } | undefined> {
    return tryLock(this.redis, name, async (signal) => ({ result: await work(signal) }));
  }
}
