import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '@app/clickhouse';
import type { Logger } from '@app/observability';

const FIRST_WAIT_MS = 100;
const LAST_WAIT_MS = 5000;

/**
 * Tries again for as long as the store is merely busy or away: the jobs stay where they are, so a worker holds a bounded
 * number of facts and takes no more. Ends when `stopping` aborts; then the jobs go back to the queue.
 */
export async function retryUntilStored(
  write: () => Promise<void>,
  logger: Logger,
  stopping: AbortSignal,
): Promise<void> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LAST_WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || stopping.aborted) throw error;
      logger.warn('ClickHouse does not take facts now; they wait in the queue.', {
        error: error.message.slice(0, 300),
        againInMs: wait,
      });
      await sleep(wait, undefined, { signal: stopping }).catch(() => {
        throw error;
      });
    }
  }
}
