import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { KEY_PREFIX } from './redis-keys.js';

const LEASE_MS = 30_000;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;
const RENEW = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;

/** Waits for the lock `name`, then runs `work`. The lock of a process that dies expires after 30 s. */
export async function withLock<T>(redis: Redis, name: string, work: () => Promise<T>): Promise<T> {
  const owner = randomUUID();
  while (!(await acquire(redis, name, owner))) await sleep(100);
  return runLocked(redis, name, owner, work);
}

/** The same, but resolves to undefined at once when another owner has the lock. */
export async function tryLock<T>(
  redis: Redis,
  name: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const owner = randomUUID();
  return (await acquire(redis, name, owner)) ? runLocked(redis, name, owner, work) : undefined;
}

const lockKey = (name: string): string => `${KEY_PREFIX}:lock:${name}`;

async function acquire(redis: Redis, name: string, owner: string): Promise<boolean> {
  return (await redis.set(lockKey(name), owner, 'PX', LEASE_MS, 'NX')) !== null;
}

async function runLocked<T>(
  redis: Redis,
  name: string,
  owner: string,
  work: () => Promise<T>,
): Promise<T> {
  const key = lockKey(name);
  const renewal = setInterval(() => void redis.eval(RENEW, 1, key, owner, LEASE_MS), LEASE_MS / 3);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await redis.eval(RELEASE, 1, key, owner);
  }
}
