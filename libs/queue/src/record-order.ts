/**
 * Gives every fact of a chunk its order (`seq` and version index) in the transaction that enqueues it, and appends the
 * orders to the payload. So the facts alone decide the index of a version and which version is the latest, in whatever
 * order workers store them.
 *
 * KEYS: payload, clock, version hashes. ARGV: time in microseconds, one step per fact as JSON.
 * Returns the orders as JSON, or the reason of a refusal: `unseeded`, or `class:` and the class that the name is bound to.
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
  end
  orders[i] = string.format('[%.0f,%d]', seq, index)
end
redis.call('SET', KEYS[2], string.format('%.0f', seq))
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

/** How a fact changes the version hashes. The numbers are indexes into KEYS. */
export type OrderingStep =
  | Record<string, never>
  | {
      readonly publish: number;
      readonly digest: string;
      readonly class: string;
      readonly seed?: VersionsSeed;
    }
  | { readonly release: number };
