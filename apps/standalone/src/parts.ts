import { join } from 'node:path';
import type { Config } from '@app/config';
import { startClickHouse, startRedis } from '@app/embedded';
import type { Logger } from '@app/observability';
import { answeringClickHouse, answeringRedis } from './external.js';

/** Something that was started and has to be stopped. */
export interface Stoppable {
  stop(): Promise<void>;
}

export interface Parts {
  /** The configuration with the addresses of what is running. */
  readonly config: Config;
  /** In the order in which they may be stopped. */
  readonly started: readonly Stoppable[];
}

/** Redis and ClickHouse: those that the configuration names, or our own under the data directory. */
export async function startParts(
  config: Config,
  directory: string,
  logger: Logger,
): Promise<Parts> {
  const ownRedis = config.redis.url === '';
  const ownClickHouse = config.clickhouse.url === '';
  const [redis, clickhouse] = await Promise.allSettled([
    ownRedis
      ? startRedis({ directory: join(directory, 'redis'), logger })
      : answeringRedis(config, logger),
    ownClickHouse
      ? startClickHouse({ directory: join(directory, 'clickhouse'), logger })
      : answeringClickHouse(config),
  ]);
  if (redis.status === 'rejected' || clickhouse.status === 'rejected') {
    if (redis.status === 'fulfilled') await redis.value?.stop();
    if (clickhouse.status === 'fulfilled') await clickhouse.value?.stop();
    throw redis.status === 'rejected' ? redis.reason : (clickhouse as PromiseRejectedResult).reason;
  }
  return {
    config: withAddresses(config, redis.value?.url, clickhouse.value),
    started: [clickhouse.value, redis.value].filter((part) => part !== undefined),
  };
}

function withAddresses(
  config: Config,
  redisUrl: string | undefined,
  own: { url: string; username: string; password: string } | undefined,
): Config {
  const { redis, clickhouse } = config;
  return {
    ...config,
    redis: { ...redis, url: redisUrl ?? redis.url },
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
