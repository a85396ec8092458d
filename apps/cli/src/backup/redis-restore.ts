import { bind, sql, type Store } from '@app/clickhouse';
import { KEYS, PendingChunks, STREAM_KEYS } from '@app/queue';
import type { Redis } from '@app/redis';
import type { RedisEntry } from './redis-snapshot.js';

const PAGE = 1000;
const LEDGERS: readonly string[] = Object.values(STREAM_KEYS).map(({ ledger }) => ledger);

/** Puts the entries into an empty Redis. ClickHouse is restored already. */
export async function restoreRedis(
  redis: Redis,
  store: Store,
  entries: AsyncIterable<RedisEntry>,
): Promise<void> {
  const chunks = new PendingChunks(redis);
  for await (const entry of entries) {
    if ('chunk' in entry) {
      const { payload, ...rest } = entry.chunk;
      await chunks.add({ ...rest, payload: Buffer.from(payload, 'base64') });
    } else if ('audit' in entry) {
      await addAudit(redis, store, entry.audit);
    } else if ('hash' in entry) {
      await addHash(redis, entry.hash, entry.fields);
    } else if ('set' in entry) {
      await addSet(redis, entry.set, entry.members, entry.expiresIn);
    } else {
      await redis.set(entry.string, entry.value);
    }
  }
}

async function addHash(
  redis: Redis,
  key: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const pairs = Object.entries(LEDGERS.includes(key) ? settledOnly(fields) : fields);
  for (let at = 0; at < pairs.length; at += PAGE)
    await redis.hset(key, ...pairs.slice(at, at + PAGE).flat());
}

/** What was received and not settled is counted again with the pending chunks. */
function settledOnly(fields: Readonly<Record<string, string>>): Record<string, string> {
  const counted: Record<string, string> = {};
  for (const field of Object.keys(fields)) {
    const rest = field.replace(/^(received|settled)/, '');
    const settled = fields[`settled${rest}`] ?? '0';
    counted[`received${rest}`] = settled;
    counted[`settled${rest}`] = settled;
  }
  return counted;
}

async function addSet(
  redis: Redis,
  key: string,
  membersAndScores: readonly string[],
  expiresIn: number,
): Promise<void> {
  if (membersAndScores.length === 0) return;
  const pairs = membersAndScores.flatMap((member, i) =>
    i % 2 === 0 ? [membersAndScores[i + 1]!, member] : [],
  );
  await redis.zadd(key, ...pairs);
  if (expiresIn > 0) await redis.pexpire(key, expiresIn);
}

type Audited = Extract<RedisEntry, { audit: unknown }>['audit'];

/** Entries that a worker moved to ClickHouse before its table was copied are there already. The end of the chain is read from it. */
async function addAudit(redis: Redis, store: Store, entries: Audited): Promise<void> {
  for (let at = 0; at < entries.length; at += PAGE) {
    const page = entries.slice(at, at + PAGE);
    const ids = bind(
      'Array(String)',
      page.map(({ id }) => id),
    );
    const rows = await store.rows<{ id: string }>(sql`SELECT id FROM audit WHERE id IN ${ids}`);
    const stored = new Set(rows.map(({ id }) => id));
    const missing = page.filter(({ id }) => !stored.has(id));
    if (missing.length > 0)
      await redis.rpush(KEYS.audit, ...missing.map((entry) => JSON.stringify(entry)));
  }
}
