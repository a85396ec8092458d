import { KEY_PREFIX } from '@app/redis';

/** How long the clock of a project stays after its last fact: 30 days. By then every server's clock is past it. */
export const CLOCK_SECONDS = 2_592_000;

/** string: the seq of the project's last fact. */
export const recordClockKey = (projectId: string): string =>
  `${KEY_PREFIX}:records:clock:${projectId}`;

/** How long an annotator keeps an item that they have claimed and not finished: a working day and the night after it. */
const CLAIM_SECONDS = 86_400;

/**
 * Gives every fact of a chunk its order (`seq` and version index) in the transaction that enqueues it, and appends the
 * orders to the payload. So the facts alone decide the index of a version and which version is the latest, in whatever
 * order workers store them.
 *
 * KEYS: payload, clock, version hashes and claims. ARGV: time in microseconds, one step per fact as JSON.
 * Returns the orders as JSON, or the reason of a refusal: `unseeded`; `class:` and the class that the name is bound to; for a
 * claim `same`, `final`, `claimed` or `finished`, see `ClaimRefusal`.
 */
export const ORDER_FACTS = `
local function refuse(reason)
  redis.call('APPEND', KEYS[1], 'null')
  return reason
end
local steps = cjson.decode(ARGV[2])
for _, step in ipairs(steps) do
  if step.publish then
    local key = KEYS[step.publish]
    if redis.call('EXISTS', key) == 0 then
      if not step.seed then return refuse('unseeded') end
      for _, version in ipairs(step.seed.versions) do redis.call('HSET', key, version[1], version[2]) end
      redis.call('HSET', key, '@next', step.seed.next)
      if step.seed.class then redis.call('HSET', key, '@class', step.seed.class) end
    end
    local class = redis.call('HGET', key, '@class')
    if class and class ~= step.class then return refuse('class:' .. class) end
  elseif step.claim then
    local key = KEYS[step.claim]
    if redis.call('EXISTS', key) == 0 then
      if not step.seed then return refuse('unseeded') end
      redis.call('HSET', key, 'user', step.seed.user, 'state', step.seed.state, 'at', step.seed.at)
      redis.call('EXPIRE', key, ${CLAIM_SECONDS})
    end
    local user, state, at = unpack(redis.call('HMGET', key, 'user', 'state', 'at'))
    if user == step.user and state == step.state then return refuse('same') end
    if state ~= 'in_progress' and state ~= '' then return refuse(user == step.user and 'final' or 'finished') end
    local isOpen = state == 'in_progress' and tonumber(ARGV[1]) - tonumber(at) < ${CLAIM_SECONDS} * 1000000
    if isOpen and user ~= step.user then return refuse('claimed') end
  end
end
local seq = math.max(tonumber(redis.call('GET', KEYS[2]) or '0'), tonumber(ARGV[1]) - 1)
local orders = {}
for i, step in ipairs(steps) do
  seq = seq + 1
  local index = -1
  if step.publish then
    local key = KEYS[step.publish]
    redis.call('HSET', key, '@class', step.class)
    index = redis.call('HGET', key, step.digest)
    if not index then
      index = redis.call('HINCRBY', key, '@next', 1) - 1
      redis.call('HSET', key, step.digest, index)
    end
    redis.call('EXPIRE', key, 2592000)
  elseif step.release then
    redis.call('HDEL', KEYS[step.release], '@class')
  elseif step.claim then
    redis.call('HSET', KEYS[step.claim], 'user', step.user, 'state', step.state, 'at', ARGV[1])
    redis.call('EXPIRE', KEYS[step.claim], ${CLAIM_SECONDS})
  end
  orders[i] = string.format('[%.0f,%d]', seq, index)
end
redis.call('SET', KEYS[2], string.format('%.0f', seq), 'EX', ${CLOCK_SECONDS})
local reply = '[' .. table.concat(orders, ',') .. ']'
redis.call('APPEND', KEYS[1], reply)
return reply`;

/** The versions of a name in ClickHouse, for a hash that Redis does not have. */
export interface VersionsSeed {
  readonly versions: readonly (readonly [digest: string, index: number])[];
  readonly next: number;
  /** The class of the versions that are not deleted; undefined without any. */
  readonly class: string | undefined;
}

/** The last progress of an item in ClickHouse; `state` is empty for none. */
export interface ClaimSeed {
  readonly user: string;
  readonly state: string;
  /** Microseconds since 1970. */
  readonly at: number;
}

/**
 * Why an annotator may not set a state: it is set already (`same`), they have finished the item (`final`), another annotator
 * has claimed it (`claimed`) or finished it (`finished`).
 */
export type ClaimRefusal = 'same' | 'final' | 'claimed' | 'finished';

/** How a fact changes the version hashes. The numbers are indexes into KEYS. */
export type OrderingStep =
  | Record<string, never>
  | {
      readonly publish: number;
      readonly digest: string;
      readonly class: string;
      readonly seed?: VersionsSeed;
    }
  | { readonly release: number }
  | {
      readonly claim: number;
      readonly user: string;
      readonly state: string;
      readonly seed?: ClaimSeed;
    };
