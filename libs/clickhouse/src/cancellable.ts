import type { ClickHouseSettings } from '@clickhouse/client';
import type { Span } from '@app/observability';
import type { Sql } from './sql.js';
import { failed, querySpan } from './statement-span.js';
import { streamError } from './store-errors.js';

interface Query<Item> {
  readonly execute: (until: AbortSignal) => AsyncGenerator<Item, void>;
  readonly statement: Sql;
  readonly settings: ClickHouseSettings;
  readonly signal: AbortSignal | undefined;
  readonly parent: Span | undefined;
}

/** Runs `execute` and cancels its query in ClickHouse when the caller stops reading or `signal` aborts. */
export async function* cancellable<Item>({
  execute,
  statement,
  settings,
  signal,
  parent,
}: Query<Item>): AsyncGenerator<Item, void> {
  const span = querySpan(statement, parent);
  const began = performance.now();
  const abort = new AbortController();
  const stop = () => abort.abort();
  signal?.addEventListener('abort', stop, { once: true });
  let isComplete = false;
  try {
    signal?.throwIfAborted();
    yield* execute(abort.signal);
    isComplete = true;
  } catch (error) {
    const seconds = (performance.now() - began) / 1000;
    throw failed(span, streamError(error, seconds, settings.max_execution_time));
  } finally {
    span?.end();
    signal?.removeEventListener('abort', stop);
    if (!isComplete) stop();
  }
}
