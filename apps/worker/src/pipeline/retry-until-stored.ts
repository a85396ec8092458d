import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '@app/clickhouse';
import type { Logger } from '@app/observability';

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5000;

/**
 * Retries a write while ClickHouse is unavailable. The jobs stay active meanwhile, so a worker has a limited number of facts
 * in memory and fetches no more. When `stopping` aborts, it rejects, and the jobs return to the queue.
 */
export async function retryUntilStored(
  write: () => Promise<void>,
  logger: Logger,
  stopping: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || stopping.aborted) throw error;
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
      report(error, logger, attempt, waitMs);
      await sleep(waitMs, undefined, { signal: stopping }).catch(() => {
        throw error;
      });
    }
  }
}

function report(error: StoreUnavailableError, logger: Logger, attempt: number, waitMs: number) {
  const fields = { error: error.message.slice(0, 300), waitMs };
  const next = `retrying in ${waitMs / 1000} s (attempt ${attempt})`;
  if (!error.isUnexpected) return logger.warn(`ClickHouse unavailable; ${next}`, fields);
  logger.error(
    `ClickHouse reported an unexpected error; ${next}; see docs/operations/unexpected-errors.md.`,
    fields,
  );
}
