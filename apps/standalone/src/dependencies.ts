import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectClickHouse, isServerError } from '@app/clickhouse';
import { StartupError, type Config, type RedisConfig } from '@app/config';
import { startClickHouse, startRedis } from '@app/embedded';
import type { Logger } from '@app/observability';
import { connectRedis, requireDurable } from '@app/redis';

export interface Stoppable {
  stop(): Promise<void>;
}

export interface Dependencies {
  /** The configuration with the addresses of Redis and ClickHouse. */
  readonly config: Config;
  /** In the order in which they must be stopped. */
  readonly started: readonly Stoppable[];
}

/** Waits for the configured Redis and ClickHouse, or starts embedded ones in the data directory. */
export async function startDependencies(
  config: Config,
  directory: string,
  logger: Logger,
): Promise<Dependencies> {
  const ownRedis = config.redis.url === '' && config.redis.sentinels.length === 0;
  const ownClickHouse = config.clickhouse.url === '';
  const [redis, clickhouse] = await Promise.allSettled([
    ownRedis
      ? startRedis({ directory: join(directory, 'redis'), logger })
      : waitForRedis(config, logger),
    ownClickHouse
      ? startClickHouse({ directory: join(directory, 'clickhouse'), logger })
      : waitForClickHouse(config),
  ]);
  if (redis.status === 'rejected' || clickhouse.status === 'rejected') {
    if (redis.status === 'fulfilled') await redis.value?.stop();
    if (clickhouse.status === 'fulfilled') await clickhouse.value?.stop();
    throw redis.status === 'rejected' ? redis.reason : (clickhouse as PromiseRejectedResult).reason;
  }
  return {
    config: withAddresses(
      config,
      redis.value && { url: redis.value.url, dataDir: join(directory, 'redis') },
      clickhouse.value,
    ),
    started: [clickhouse.value, redis.value].filter((started) => started !== undefined),
  };
}

function withAddresses(
  config: Config,
  ownRedis: { url: string; dataDir: string } | undefined,
  own: { url: string; username: string; password: string } | undefined,
): Config {
  const { redis, clickhouse } = config;
  return {
    ...config,
    redis: { ...redis, ...ownRedis },
    clickhouse: own
      ? {
          ...clickhouse,
          url: own.url,
          user: own.username,
          password: own.password,
          database: 'default',
        }
      : clickhouse,
  };
}

/** Long enough for a server that starts at the same time. */
const CONNECT_TIMEOUT_MS = 8_000;
const RETRY_MS = 250;

/** Resolves when the configured Redis accepts commands and is durable. */
async function waitForRedis({ redis }: Config, logger: Logger): Promise<undefined> {
  const connection = connectRedis(redis, 'consumer', logger);
  let reason = 'no response';
  connection.on('error', (error: Error) => (reason = messageOf(error)));
  try {
    const late = sleep(CONNECT_TIMEOUT_MS, 'late', { ref: false });
    const outcome = await Promise.race([connection.ping().catch(messageOf), late]);
    if (outcome !== 'PONG') {
      const [setting, address] = redisAddress(redis);
      throw unavailable('Redis', setting, address, outcome === 'late' ? reason : outcome);
    }
    await requireDurable(connection, redis);
    return undefined;
  } finally {
    connection.disconnect();
  }
}

/** Resolves when the ClickHouse of CLICKHOUSE_URL executes a query with the configured user and database. */
async function waitForClickHouse({ clickhouse }: Config): Promise<undefined> {
  const client = connectClickHouse(clickhouse, 'standalone');
  const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  try {
    for (;;) {
      const response = await client.ping({ select: true, abort_signal: deadline });
      if (response.success) return undefined;
      // The server would send the same error again: a wrong password, an unknown database.
      if (deadline.aborted || isServerError(response.error)) {
        throw unavailable(
          'ClickHouse',
          'CLICKHOUSE_URL',
          new URL(clickhouse.url).host,
          messageOf(response.error),
        );
      }
      await sleep(RETRY_MS);
    }
  } finally {
    await client.close();
  }
}

/** The setting that names Redis, and its hosts without a password. */
function redisAddress({ url, sentinels }: RedisConfig): [setting: string, hosts: string] {
  if (sentinels.length === 0) return ['REDIS_URL', new URL(url).host];
  return ['REDIS_SENTINELS', sentinels.map(({ host, port }) => `${host}:${port}`).join(', ')];
}

function unavailable(name: string, setting: string, hosts: string, reason: string): StartupError {
  return new StartupError(
    `${name} at ${hosts} is unavailable (${reason}); start it or correct ${setting}, ` +
      `or leave ${setting} empty to use the embedded one.`,
  );
}

/** A connection attempt to several addresses fails with one error per address. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message.trim() : String(error);
}
