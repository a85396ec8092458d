import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import { KEYS, claimsKey } from './queue-keys.js';
import { shortHash } from './short-hash.js';

/** Two stretches are remembered, so a touch lasts for at least one whole stretch. */
const STRETCH_MS = 600_000;
const KEPT_SECONDS = (2 * STRETCH_MS) / 1000 + 60;
/** Lua can unpack twice as many arguments at once, with room to spare. */
const PER_CALL = 2000;

/** `mine`: all touches before were this worker's. `others`: somebody else has touched it, or may have. */
export type Claim = 'first' | 'mine' | 'others';
const TOUCHES: readonly Claim[] = ['first', 'mine', 'others'];

/**
 * Test and set of all calls at once: nobody can touch in between. A call has one toucher, or '' for several. The stretch
 * after this one counts too, because another worker's clock may be ahead.
 */
const TOUCH = `
local me = ARGV[2]
local now = redis.call('HMGET', KEYS[1], unpack(ARGV, 3))
local before = redis.call('HMGET', KEYS[2], unpack(ARGV, 3))
local after = redis.call('HMGET', KEYS[3], unpack(ARGV, 3))
local held = redis.call('SMISMEMBER', KEYS[4], unpack(ARGV, 3))
local touches = {}
local changes = {}
for i = 1, #now do
  local by = now[i] or before[i] or after[i]
  local touch = 2
  if not by then
    by = me
    if held[i] == 0 then touch = 0 end
  elseif (now[i] or me) == me and (before[i] or me) == me and (after[i] or me) == me then touch = 1
  else by = '' end
  touches[i] = touch
  if by ~= now[i] then
    changes[#changes + 1] = ARGV[i + 2]
    changes[#changes + 1] = by
  end
end
if #changes > 0 then
  redis.call('HSET', KEYS[1], unpack(changes))
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return touches`;

/**
 * Remembers which calls some flush has already touched, and whose it was. The first flush to touch a call knows that
 * nobody else can have written a row for it yet, so it may fold what it holds without asking the log; and a worker whose
 * touches were the only ones knows all that was said about the call. A held call has facts in the log already, however
 * long ago they came.
 */
@Injectable()
export class CallClaims {
  /** Stands for one life of one process: a process that comes after it remembers nothing. */
  private readonly worker = randomBytes(6).toString('base64');

  constructor(private readonly redis: Redis) {}

  /** To be called after the calls' facts are in the log. */
  async claim(calls: readonly string[], now = Date.now()): Promise<Claim[]> {
    const stretch = Math.floor(now / STRETCH_MS);
    const keys = [...[0, -1, 1].map((away) => claimsKey(stretch + away)), KEYS.held];
    const touches: Claim[] = [];
    for (let at = 0; at < calls.length; at += PER_CALL) {
      const hashes = calls.slice(at, at + PER_CALL).map(shortHash);
      const args = [KEPT_SECONDS, this.worker, ...hashes];
      const some = (await this.redis.eval(TOUCH, keys.length, ...keys, ...args)) as number[];
      for (const touch of some) touches.push(TOUCHES[touch]!);
    }
    return touches;
  }
}
