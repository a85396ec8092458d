import { join } from 'node:path';
import {
  connectStore,
  onEveryNode,
  raw,
  sql,
  storedTable,
  systemTable,
  TABLE_NAMES,
  type Store,
} from '@app/clickhouse';
import { readConfig, type Config } from '@app/config';
import { openDataDirectory, startClickHouse, startRedis } from '@app/embedded';
import { createLogger, logDestination } from '@app/observability';
import { KEY_PREFIX, requireDurable, type Redis } from '@app/redis';
import { requireClickHouse, UsageError, withRedis } from '../context.js';
import { emptyDirectory } from './target-directory.js';

type Work<T> = (config: Config) => Promise<T>;

/**
 * Runs `work` with the addresses of an empty Redis and an empty ClickHouse: those that are set, or new ones in DATA_DIR. Rejects
 * with UsageError when they have data. When `work` fails, they are empty again.
 */
export async function withEmptyStores<T>(work: Work<T>): Promise<T> {
  const config = readConfig();
  const hasRedis = config.redis.url !== '' || config.redis.sentinels.length > 0;
  const hasClickHouse = config.clickhouse.url !== '';
  if (config.clickhouse.cluster !== '' && !hasClickHouse)
    throw new UsageError(
      'Set CLICKHOUSE_URL, too, to restore into the cluster that CLICKHOUSE_CLUSTER names.',
    );
  if (hasRedis !== hasClickHouse)
    throw new UsageError(
      'Set both REDIS_URL and CLICKHOUSE_URL to restore into running servers, or neither to restore into DATA_DIR.',
    );
  return hasRedis ? intoServers(config, work) : intoDirectory(config, work);
}

/** Starts the embedded servers in an empty data directory, and stops them afterwards. */
async function intoDirectory<T>(config: Config, work: Work<T>): Promise<T> {
  const target = await emptyDirectory(config.dataDir, 'DATA_DIR');
  const logger = createLogger('cli', config.logLevel, logDestination(config.logFormat));
  const open: (() => Promise<void>)[] = [];
  const close = async () => {
    while (open.length > 0) await open.pop()!();
  };
  try {
    const directory = await openDataDirectory(target.path);
    open.push(() => directory.release());
    const redisDirectory = join(directory.path, 'redis');
    const redis = await startRedis({ directory: redisDirectory, logger });
    open.push(() => redis.stop());
    const clickhouse = await startClickHouse({
      directory: join(directory.path, 'clickhouse'),
      // Tables of a server with a cold volume name its storage policy.
      coldDirectory: config.storage.coldDir,
      logger,
    });
    open.push(() => clickhouse.stop());
    const { url, username: user, password } = clickhouse;
    const result = await work({
      ...config,
      redis: { ...config.redis, url: redis.url, dataDir: redisDirectory },
      clickhouse: { ...config.clickhouse, url, user, password, database: 'default' },
    });
    await close();
    return result;
  } catch (error) {
    await close();
    await target.remove();
    throw error;
  }
}

async function intoServers<T>(config: Config, work: Work<T>): Promise<T> {
  await requireClickHouse(config);
  const store = connectStore(config.clickhouse, 'restore');
  try {
    return await withRedis(async (redis) => {
      await requireDurable(redis, config.redis);
      await requireEmpty(store, redis, config);
      try {
        return await work(config);
      } catch (error) {
        await empty(store, redis);
        throw error;
      }
    }, config);
  } finally {
    await store.close();
  }
}

async function requireEmpty(store: Store, redis: Redis, { clickhouse }: Config): Promise<void> {
  const [tables] = await store.rows<{ n: number | string }>(
    sql`SELECT count() AS n FROM ${raw(systemTable('tables', store.topology))} WHERE database = currentDatabase()`,
  );
  if (Number(tables!.n) > 0)
    throw new UsageError(
      `The database ${clickhouse.database} has ${tables!.n} tables; set CLICKHOUSE_DATABASE to an empty one.`,
    );
  for await (const keys of ownKeys(redis))
    if (keys.length > 0)
      throw new UsageError(
        'This Redis has data of Heddle; stop all processes that use it, and set REDIS_URL to an empty one.',
      );
}

/** Only after `requireEmpty`: everything in them was put there by this command. */
async function empty(store: Store, redis: Redis): Promise<void> {
  const { topology } = store;
  for (const table of TABLE_NAMES)
    for (const name of new Set([table, storedTable(table, topology)]))
      await store.runDdl(sql`DROP TABLE IF EXISTS ${raw(`${name}${onEveryNode(topology)}`)} SYNC`);
  for await (const keys of ownKeys(redis)) if (keys.length > 0) await redis.unlink(...keys);
}

const ownKeys = (redis: Redis) =>
  redis.scanStream({ match: `${KEY_PREFIX}*`, count: 1000 }) as AsyncIterable<string[]>;
