import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CallFact } from '@app/events';
import { KEYS } from '@app/queue';
import { KEY_PREFIX, Redis } from '@app/redis';
import { millisOf, nowMillis, type Millis } from '@app/wire';
import { placementOf } from './call-columns.js';

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

/** Redis remembers a claim for at least ten minutes. The limits leave three minutes for clocks that differ. */
const MAX_AGE_MS = 5 * 60_000;
/** The clock of a client may be ahead. */
const MAX_AHEAD_MS = 2 * 60_000;
const UUID_OF_TIME = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i;

/**
 * Whether these facts belong to a call that began so recently that Redis still remembers every claim on it. Only then does a
 * first claim prove that the log has no other facts of the call. The start time and the time in a UUID of version 7 count.
 */
export function isYoungCall(facts: readonly CallFact[], now: Millis): boolean {
  const isYoung = (beganAt: number) => beganAt >= now - MAX_AGE_MS && beganAt <= now + MAX_AHEAD_MS;
  const starts = facts.filter(hasStart);
  if (starts.length === 0) return false;
  const idTime = timeInId(starts[0]!.callId);
  if (idTime !== undefined && !isYoung(idTime)) return false;
  return starts.every((start) => isYoung(startTime(start)));
}

const hasStart = ({ kind }: CallFact) => kind === 'start' || kind === 'complete';

/** NaN for a start that cannot be parsed. The fold, which comes next, reports it. */
function startTime(start: CallFact): number {
  try {
    return millisOf(placementOf(start).startedAt);
  } catch {
    return NaN;
  }
}

function timeInId(callId: string): number | undefined {
  const [, high, low] = UUID_OF_TIME.exec(callId) ?? [];
  return high === undefined ? undefined : Number.parseInt(`${high}${low}`, 16);
}

/** Identifies a call in Redis by eight bytes. A collision only causes one unnecessary read of the log. */
export function shortHash(call: string): Buffer {
  return hash('sha1', call, 'buffer').subarray(0, 8);
}
