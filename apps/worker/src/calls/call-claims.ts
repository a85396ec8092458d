import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KEYS } from '@app/queue';
import { KEY_PREFIX, Redis } from '@app/redis';
import { nowMillis } from '@app/wire';
import { shortHash } from './short-hash.js';

/** Claims of two windows are remembered, so a claim lasts for at least one whole window. */
const WINDOW_MS = 600_000;
const EXPIRE_SECONDS = (2 * WINDOW_MS) / 1000 + 60;
/** Lua can unpack twice as many arguments at once, with room to spare. */
const CALLS_PER_SCRIPT = 2000;

/** `mine`: only this worker has claimed the call before. `others`: another worker has claimed it, or may have. */
export type Claim = 'first' | 'mine' | 'others';
const CLAIMS: readonly Claim[] = ['first', 'mine', 'others'];

/** hash: short hash of a call → the worker that claimed it in this window; empty for several workers. */
const claimsKey = (window: number): string => `${KEY_PREFIX}:claims:${window}`;

/**
 * Tests and sets all calls at once: no other worker can claim one in between. A call has one claimant, or '' for several.
 * The window after this one counts too, because another worker's clock may be ahead.
 */
const CLAIM = `
local me = ARGV[2]
local now = redis.call('HMGET', KEYS[1], unpack(ARGV, 3))
local before = redis.call('HMGET', KEYS[2], unpack(ARGV, 3))
local after = redis.call('HMGET', KEYS[3], unpack(ARGV, 3))
local awaiting = redis.call('SMISMEMBER', KEYS[4], unpack(ARGV, 3))
local claims = {}
local changes = {}
for i = 1, #now do
  local by = now[i] or before[i] or after[i]
  local claim = 2
  if not by then
    by = me
    if awaiting[i] == 0 then claim = 0 end
  elseif (now[i] or me) == me and (before[i] or me) == me and (after[i] or me) == me then claim = 1
  else by = '' end
  claims[i] = claim
  if by ~= now[i] then
    changes[#changes + 1] = ARGV[i + 2]
    changes[#changes + 1] = by
  end
end
if #changes > 0 then
  redis.call('HSET', KEYS[1], unpack(changes))
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return claims`;

/**
 * Remembers which calls a flush has claimed, and for which worker. The first flush to claim a call knows that no other
 * worker can have written a row for it yet, so it folds the facts it has without reading the log. A worker that alone has
 * claimed a call knows all its facts. A call that awaits its start has facts in the log already, however old they are.
 */
@Injectable()
export class CallClaims {
  /** Stands for one life of one process: a process that comes after it remembers nothing. */
  private readonly worker = randomBytes(6).toString('base64');

  constructor(private readonly redis: Redis) {}

  /** To be called after the calls' facts are in the log. */
  async claim(calls: readonly string[], now = nowMillis()): Promise<Claim[]> {
    const window = Math.floor(now / WINDOW_MS);
    const keys = [...[0, -1, 1].map((offset) => claimsKey(window + offset)), KEYS.awaitingStart];
    const claims: Claim[] = [];
    for (let at = 0; at < calls.length; at += CALLS_PER_SCRIPT) {
      const hashes = calls.slice(at, at + CALLS_PER_SCRIPT).map(shortHash);
      const args = [EXPIRE_SECONDS, this.worker, ...hashes];
      const some = (await this.redis.eval(CLAIM, keys.length, ...keys, ...args)) as number[];
      for (const claim of some) claims.push(CLAIMS[claim]!);
    }
    return claims;
  }
}
