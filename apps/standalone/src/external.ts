import { setTimeout as sleep } from 'node:timers/promises';
import { connectClickHouse, isServerError } from '@app/clickhouse';
import { StartupError, type Config } from '@app/config';
import type { Logger } from '@app/observability';
import { connectRedis, requireDurable } from '@app/redis';

/** Long enough for a server that is started together with us. */
const ANSWERS_WITHIN_MS = 8_000;
const ASK_AGAIN_MS = 250;

/** Resolves when the Redis of REDIS_URL takes our commands, and keeps what it takes. */
export async function answeringRedis({ redis }: Config, logger: Logger): Promise<undefined> {
  const connection = connectRedis(redis.url, 'consumer', logger);
  let reason = 'no answer';
  connection.on('error', (error: Error) => (reason = told(error)));
  try {
    const late = sleep(ANSWERS_WITHIN_MS, 'late', { ref: false });
    const outcome = await Promise.race([connection.ping().catch(told), late]);
    if (outcome !== 'PONG') {
      throw silent('Redis', 'REDIS_URL', redis.url, outcome === 'late' ? reason : outcome);
    }
    await requireDurable(connection, redis);
    return undefined;
  } finally {
    connection.disconnect();
  }
}

/** Resolves when the ClickHouse of CLICKHOUSE_URL answers a question of our user in our database. */
export async function answeringClickHouse({ clickhouse }: Config): Promise<undefined> {
  const client = connectClickHouse(clickhouse, 'standalone');
  const deadline = AbortSignal.timeout(ANSWERS_WITHIN_MS);
  try {
    for (;;) {
      const answer = await client.ping({ select: true, abort_signal: deadline });
      if (answer.success) return undefined;
      // The server would send the same error again: a wrong password, an unknown database.
      if (deadline.aborted || isServerError(answer.error)) {
        throw silent('ClickHouse', 'CLICKHOUSE_URL', clickhouse.url, told(answer.error));
      }
      await sleep(ASK_AGAIN_MS);
    }
  } finally {
    await client.close();
  }
}

/** The address without the password that may stand in it. */
function silent(name: string, setting: string, url: string, reason: string): StartupError {
  return new StartupError(
    `${name} at ${new URL(url).host} does not let us in (${reason}); start it or correct ${setting}, ` +
      `or leave ${setting} empty to have one started here.`,
  );
}

/** Errors of a connection attempt to several addresses have their words inside. */
function told(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(told).join(', ');
  return error instanceof Error ? error.message.trim() : String(error);
}
