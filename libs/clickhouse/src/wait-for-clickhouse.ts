import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError, type ClickHouseConfig } from '@app/config';
import { messageOf } from '@app/errors';
import { connectClickHouse, DEFAULT_CLICKHOUSE_URL } from './connection.js';
import { isServerError } from './store-errors.js';

/** Long enough for a server that starts at the same time. */
const CONNECT_TIMEOUT_MS = 8_000;
const RETRY_MS = 250;

/**
 * Resolves when ClickHouse executes a query with the configured user and database. Rejects with a StartupError after eight
 * seconds, or at once with an error that the server would send again; `otherwise` says what else the operator can do.
 */
export async function waitForClickHouse(
  config: ClickHouseConfig,
  otherwise: (setting: string) => string,
): Promise<void> {
  const client = connectClickHouse(config, 'startup');
  const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  try {
    for (;;) {
      const response = await client.ping({ select: true, abort_signal: deadline });
      if (response.success) return;
      // The server would send the same error again: a wrong password, an unknown database.
      if (deadline.aborted || isServerError(response.error)) {
        const { host } = new URL(config.url || DEFAULT_CLICKHOUSE_URL);
        throw new StartupError(
          `ClickHouse at ${host} is unavailable (${messageOf(response.error)}); start it or correct CLICKHOUSE_URL${otherwise('CLICKHOUSE_URL')}.`,
        );
      }
      await sleep(RETRY_MS);
    }
  } finally {
    await client.close();
  }
}
