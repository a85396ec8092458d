import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { touchedKey } from './queue-keys.js';

/** Two stretches are remembered, so a touch lasts for at least one whole stretch. */
const STRETCH_MS = 600_000;
const KEPT_SECONDS = (2 * STRETCH_MS) / 1000 + 60;
/** Lua can unpack this many arguments at once, with room to spare. */
const PER_CALL = 4000;

/** Test and set of all calls at once: nobody can touch in between. */
const TOUCH = `
local now = redis.call('SMISMEMBER', KEYS[1], unpack(ARGV, 2))
local before = redis.call('SMISMEMBER', KEYS[2], unpack(ARGV, 2))
redis.call('SADD', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIRE', KEYS[1], ARGV[1])
local seen = {}
for i = 1, #now do seen[i] = (now[i] == 1 or before[i] == 1) and 1 or 0 end
return seen`;

/**
 * Remembers which calls some flush has already touched. The first flush to touch a call knows that nobody else can have
 * written a row for it yet, so it may fold what it holds without asking the log.
 */
export class TouchedCalls {
  constructor(private readonly redis: Redis) {}

  /** For each call, whether this is the first touch. To be called after the call's facts are in the log. */
  async touch(calls: readonly string[], now = Date.now()): Promise<boolean[]> {
    const stretch = Math.floor(now / STRETCH_MS);
    const keys = [touchedKey(stretch), touchedKey(stretch - 1)] as const;
    const first: boolean[] = [];
    for (let at = 0; at < calls.length; at += PER_CALL) {
      const hashes = calls.slice(at, at + PER_CALL).map(shortHash);
      const seen = (await this.redis.eval(TOUCH, 2, ...keys, KEPT_SECONDS, ...hashes)) as number[];
      for (const one of seen) first.push(one === 0);
    }
    return first;
  }
}

/** Eight bytes: a collision costs one needless look into the log, nothing else. */
function shortHash(call: string): Buffer {
  return createHash('sha1').update(call).digest().subarray(0, 8);
}
