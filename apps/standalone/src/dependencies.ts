import { join } from 'node:path';
import { waitForClickHouse } from '@app/clickhouse';
import type { Config, StorageConfig } from '@app/config';
import { startClickHouse, startRedis, type EmbeddedClickHouse } from '@app/embedded';
import type { Logger } from '@app/observability';
import { requireDurable, waitForRedis } from '@app/redis';

export interface Stoppable {
  stop(): Promise<void>;
}

export interface Dependencies {
  /** The configuration with the addresses of Redis and ClickHouse. */
  readonly config: Config;
  /** In the order in which they must be stopped. */
  readonly started: readonly Stoppable[];
  /** Of those that are children of this process. */
  readonly pids: Readonly<Record<string, () => number | undefined>>;
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
      : waitForExternalRedis(config, logger),
    ownClickHouse
      ? startClickHouse({
          directory: join(directory, 'clickhouse'),
          coldDirectory: config.storage.coldDir,
          logger,
        })
      : waitForExternalClickHouse(config),
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
    pids: {
      ...(redis.value && { redis: pidOf(redis.value) }),
      ...(clickhouse.value && { clickhouse: pidOf(clickhouse.value) }),
    },
  };
}

const pidOf = (child: { pid(): number | undefined }) => () => child.pid();

function withAddresses(
  config: Config,
  ownRedis: { url: string; dataDir: string } | undefined,
  own: EmbeddedClickHouse | undefined,
): Config {
  const { redis, clickhouse, storage } = config;
  return {
    ...config,
    storage: own ? { ...storage, ...ownStorage(own, storage) } : storage,
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

/** Without COLD_DIR nothing moves any more, but what has moved stays there. */
function ownStorage({ cold }: EmbeddedClickHouse, { coldDir, coldAfterDays }: StorageConfig) {
  const policy = cold ?? { policy: '' };
  return { ...policy, coldAfterDays: coldDir === '' ? 0 : coldAfterDays };
}

const useEmbedded = (setting: string) => `, or leave ${setting} empty to use the embedded one`;

/** Resolves when the configured Redis accepts commands and is durable. */
async function waitForExternalRedis({ redis }: Config, logger: Logger): Promise<undefined> {
  await waitForRedis(redis, logger, useEmbedded, (connection) => requireDurable(connection, redis));
}

/** Resolves when the configured ClickHouse executes a query. */
async function waitForExternalClickHouse({ clickhouse }: Config): Promise<undefined> {
  await waitForClickHouse(clickhouse, useEmbedded);
}
