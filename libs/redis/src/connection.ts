import { Redis, type RedisOptions } from 'ioredis';
import { readTlsFiles, type RedisConfig, type TlsConfig, type TlsFiles } from '@app/config';
import type { Logger } from '@app/observability';
import { isReadOnly } from './queue-errors.js';

export { Redis, type ChainableCommander, type Pipeline } from 'ioredis';

export const DEFAULT_REDIS_URL = 'redis://127.0.0.1:6379';

/**
 * How a process uses Redis. A producer serves clients, so it fails fast: no offline queue and no long waits. It never repeats
 * a command by itself, because Redis may have executed it before the connection broke, and counts would double. A consumer
 * has no waiting client and retries without limit.
 */
export type RedisUse = 'producer' | 'consumer';

const USES = {
  producer: { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 5000 },
  consumer: { maxRetriesPerRequest: null },
} as const;

/** What ioredis does after READONLY: Redis has not executed the command, so a consumer may send it again. */
const RECONNECT = { producer: 1, consumer: 2 } as const;

/** The settings that decide which server to connect to. */
export type RedisAddress = Pick<RedisConfig, 'url'> &
  Partial<Pick<RedisConfig, 'sentinels' | 'sentinelMaster' | 'sentinelPassword'> & TlsConfig>;

export function connectRedis(address: RedisAddress, use: RedisUse, logger: Logger): Redis {
  const url = address.url || DEFAULT_REDIS_URL;
  const tls = url.startsWith('rediss:') ? readTlsFiles('REDIS', address) : undefined;
  // ioredis would prefer the TLS of the URL, which has no certificate authority.
  const redis = new Redis(url.replace(/^rediss:/, 'redis:'), {
    ...USES[use],
    ...(tls && { tls }),
    ...sentinelOptions(address, tls),
    connectTimeout: 3000,
    retryStrategy: backOffMs,
    // A server that is loading its data estimates the rest, at first badly. ioredis would wait up to 10 s for it.
    maxLoadingRetryTime: MAX_RETRY_MS,
    // The server has become a replica. A new connection finds the master, by Sentinel or by a name or proxy that moved.
    reconnectOnError: (error) => (isReadOnly(error) ? RECONNECT[use] : false),
  });
  reportConnection(redis, logger);
  return redis;
}

const MAX_RETRY_MS = 1000;

const backOffMs = (attempt: number): number =>
  Math.min(50 * 2 ** Math.min(attempt, 10), MAX_RETRY_MS);

type SentinelOption =
  | 'sentinels'
  | 'name'
  | 'sentinelPassword'
  | 'sentinelTLS'
  | 'enableTLSForSentinelMode'
  | 'sentinelCommandTimeout'
  | 'sentinelRetryStrategy'
  | 'failoverDetector';

function sentinelOptions(
  { sentinels = [], sentinelMaster = '', sentinelPassword = '' }: RedisAddress,
  tls: TlsFiles | undefined,
): Pick<RedisOptions, SentinelOption> {
  if (sentinels.length === 0) return {};
  return {
    sentinels: [...sentinels],
    name: sentinelMaster,
    ...(sentinelPassword !== '' && { sentinelPassword }),
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
    sentinelCommandTimeout: 1000,
    sentinelRetryStrategy: backOffMs,
    // Also leaves a master that cannot be reached any more and did not close the connection.
    failoverDetector: true,
  };
}

/** Logs one line when Redis becomes unavailable and one when it is available again. */
function reportConnection(redis: Redis, logger: Logger): void {
  let isUnavailable = false;
  redis.on('error', (error: Error) => {
    if (!isUnavailable)
      logger.warn('Redis unavailable; reconnecting until it responds', { error: error.message });
    isUnavailable = true;
  });
  redis.on('ready', () => {
    if (isUnavailable) logger.info('Redis available again');
    isUnavailable = false;
  });
}
