import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@app/errors';
import { StartupError, type RedisConfig } from '@app/config';
import type { Logger } from '@app/observability';
import { connectRedis, DEFAULT_REDIS_URL, type Redis } from './connection.js';

/** Long enough for a server that starts at the same time. */
const CONNECT_TIMEOUT_MS = 8_000;

/**
 * Resolves with the result of `check` when the configured Redis accepts commands. Rejects with a StartupError after eight
 * seconds; `otherwise` says what else the operator can do.
 */
export async function waitForRedis<T>(
  config: RedisConfig,
  logger: Logger,
  otherwise: (setting: string) => string,
  check: (redis: Redis) => Promise<T>,
): Promise<T> {
  const connection = connectRedis(config, 'consumer', logger);
  let reason = 'no response';
  connection.on('error', (error: Error) => (reason = messageOf(error)));
  try {
    const late = sleep(CONNECT_TIMEOUT_MS, 'late', { ref: false });
    const outcome = await Promise.race([connection.ping().catch(messageOf), late]);
    if (outcome !== 'PONG') {
      const [setting, hosts] = redisAddress(config);
      const why = outcome === 'late' ? reason : outcome;
      throw new StartupError(
        `Redis at ${hosts} is unavailable (${why}); start it or correct ${setting}${otherwise(setting)}.`,
      );
    }
    return await check(connection);
  } finally {
    connection.disconnect();
  }
}

/** The setting that names Redis, and its hosts without a password. */
function redisAddress({ url, sentinels }: RedisConfig): [setting: string, hosts: string] {
  if (sentinels.length === 0) return ['REDIS_URL', new URL(url || DEFAULT_REDIS_URL).host];
  return ['REDIS_SENTINELS', sentinels.map(({ host, port }) => `${host}:${port}`).join(', ')];
}
