import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { HeddleError } from '@app/errors';
import { KEY_PREFIX } from './redis-keys.js';

const LEASE_MS = 30_000;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;
const RENEW = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;

/** The lock ran out while the work was in progress, so another process may do the same work. */
class LockLostError extends HeddleError {
  readonly code = 'lock_lost';

  constructor(name: string, cause?: unknown) {
    super(
      `The lock ${name} was lost while its work was in progress, because Redis or this process was paused; ` +
        'run the command again.',
      { cause },
    );
  }
}

/** The signal aborts when the lock is lost. The call rejects with LockLostError then, whatever the work does. */
export type Work<T> = (signal: AbortSignal) => Promise<T>;

/** Waits for the lock `name`, then runs `work`. The lock of a process that dies expires after 30 s. */
export async function withLock<T>(redis: Redis, name: string, work: Work<T>): Promise<T> {
  const lock = { redis, key: lockKey(name), owner: randomUUID(), leaseMs: LEASE_MS };
  while (!(await acquire(lock))) await sleep(100);
  return runLocked(lock, work);
}

/** The same, but resolves to undefined at once when another owner has the lock. */
export async function tryLock<T>(
  redis: Redis,
  name: string,
  work: Work<T>,
  leaseMs = LEASE_MS,
): Promise<T | undefined> {
  const lock = { redis, key: lockKey(name), owner: randomUUID(), leaseMs };
  return (await acquire(lock)) ? runLocked(lock, work) : undefined;
}

const lockKey = (name: string): string => `${KEY_PREFIX}:lock:${name}`;

interface Lock {
  readonly redis: Redis;
  readonly key: string;
  readonly owner: string;
  readonly leaseMs: number;
}

async function acquire({ redis, key, owner, leaseMs }: Lock): Promise<boolean> {
  return (await redis.set(key, owner, 'PX', leaseMs, 'NX')) !== null;
}

/** Resolves to whether the lock was still ours. */
async function release({ redis, key, owner }: Lock): Promise<boolean> {
  return (await redis.eval(RELEASE, 1, key, owner)) === 1;
}

async function runLocked<T>(lock: Lock, work: Work<T>): Promise<T> {
  const lost = new AbortController();
  const renewal = renewUntilLost(lock, lost);
  let result: T;
  try {
    result = await Promise.race([work(lost.signal), rejectWhenAborted(lost.signal)]);
    lost.signal.throwIfAborted();
  } catch (error) {
    clearInterval(renewal);
    await release(lock);
    throw error;
  }
  clearInterval(renewal);
  // A process that was paused may have finished its work before a renewal could find that the lock had run out.
  if (!(await release(lock))) throw new LockLostError(lock.key);
  return result;
}

/** Aborts `lost` when another owner may have the lock: it was taken over, or no renewal succeeded for a whole lease. */
function renewUntilLost(
  { redis, key, owner, leaseMs }: Lock,
  lost: AbortController,
): NodeJS.Timeout {
  let renewedAt = performance.now();
  const renew = async (): Promise<void> => {
    try {
      const isOurs = (await redis.eval(RENEW, 1, key, owner, leaseMs)) === 1;
      if (isOurs) renewedAt = performance.now();
      else lost.abort(new LockLostError(key));
    } catch (error) {
      if (performance.now() - renewedAt > leaseMs) lost.abort(new LockLostError(key, error));
    }
  };
  return setInterval(() => void renew(), leaseMs / 3);
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
