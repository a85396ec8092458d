import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KEYS } from '@app/queue';
import { KEY_PREFIX, Redis } from '@app/redis';
import { nowMillis } from '@app/wire';
import { shortHash } from './short-hash.js';

/** Claims of two windows are remembered, so a claim lasts for at least one whole window. */
const WINDOW_MS = 600_000;
const EXPIRE_SECONDS = (2 * WINDOW_MS) / 1000 + 60;
/** Keeps `unpack`, which gets two values per call, far below the limit of Lua's stack (8000). */
const CALLS_PER_SCRIPT = 2000;

/** `mine`: only this worker has claimed the call before. `others`: another worker has claimed it, or may have. */
export type Claim = 'first' | 'mine' | 'others';
const CLAIMS: readonly Claim[] = ['first', 'mine', 'others'];

/** hash: short hash of a call → the worker that claimed it in this window; empty for several workers. */
const claimsKey = (window: number): string => `${KEY_PREFIX}:claims:${window}`;

/**
 * Tests and sets all calls in one script, so no other worker can claim one in between. A call has one claimant, or '' for
 * several. The script also reads the next window, because another worker's clock may be ahead.
 *
 * KEYS: claims of the current, the previous and the next window; calls awaiting start. ARGV: expiry in seconds, this
 * worker, one short hash per call. Returns one index into `CLAIMS` per call.
 */
const CLAIM = `
local worker = ARGV[2]
local current = redis.call('HMGET', KEYS[1], unpack(ARGV, 3))
local previous = redis.call('HMGET', KEYS[2], unpack(ARGV, 3))
local next = redis.call('HMGET', KEYS[3], unpack(ARGV, 3))
local awaitingStart = redis.call('ZMSCORE', KEYS[4], unpack(ARGV, 3))
local function isOther(claimant) return claimant and claimant ~= worker end
local claims = {}
local changes = {}
for i = 1, #current do
  local claimant = current[i] or previous[i] or next[i]
  local claim = 1
  if not claimant then
    claimant = worker
    claim = awaitingStart[i] and 2 or 0
  elseif isOther(current[i]) or isOther(previous[i]) or isOther(next[i]) then
    claimant = ''
    claim = 2
  end
  claims[i] = claim
  if claimant ~= current[i] then
    changes[#changes + 1] = ARGV[i + 2]
    changes[#changes + 1] = claimant
  end
end
if #changes > 0 then
  redis.call('HSET', KEYS[1], unpack(changes))
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return claims`;

/**
 * Records in Redis which worker has claimed which call. When a flush is the first to claim a young call, no other worker can
 * have written a row for it, so the flush folds its own facts without reading the log. Claims on an older call may have
 * expired. A worker that is the only claimant
 * of a call has all the call's facts in memory. A call that awaits its start counts as claimed by others, because the log
 * has older facts of it.
 */
@Injectable()
export class CallClaims {
  /** Identifies this process. A restarted process gets a new id, because its memory is empty. */
  private readonly worker = randomBytes(6).toString('base64');

  constructor(private readonly redis: Redis) {}

  /** Call this after the calls' facts are in the log. */
  async claim(calls: readonly string[], now = nowMillis()): Promise<Claim[]> {
    const window = Math.floor(now / WINDOW_MS);
    const keys = [...[0, -1, 1].map((offset) => claimsKey(window + offset)), KEYS.awaitingStart];
    const claims: Claim[] = [];
    for (let at = 0; at < calls.length; at += CALLS_PER_SCRIPT) {
      const hashes = calls.slice(at, at + CALLS_PER_SCRIPT).map(shortHash);
      const args = [EXPIRE_SECONDS, this.worker, ...hashes];
      const codes = (await this.redis.eval(CLAIM, keys.length, ...keys, ...args)) as number[];
      for (const code of codes) claims.push(CLAIMS[code]!);
    }
    return claims;
  }
}
