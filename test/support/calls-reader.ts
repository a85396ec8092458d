import type { Store } from '@app/clickhouse';
import { readConfig } from '@app/config';
import { CallCosts } from '../../apps/query/src/calls/call-costs.js';
import { CallExpansion } from '../../apps/query/src/calls/call-expansion.js';
import { CallExtrasReader } from '../../apps/query/src/calls/call-extras.reader.js';
import { CallFieldsReader } from '../../apps/query/src/calls/call-fields.reader.js';
import {
  DEFAULT_CALL_THRESHOLDS,
  type CallThresholds,
} from '../../apps/query/src/calls/call-thresholds.js';
import { CallStreams } from '../../apps/query/src/calls/call-streams.js';
import { CallsPlanner } from '../../apps/query/src/calls/calls-planner.js';
import { CallsReader } from '../../apps/query/src/calls/calls.reader.js';
import { PayloadSearch } from '../../apps/query/src/calls/payload-search.js';
import { PricesReader } from '../../apps/query/src/costs/prices.reader.js';
import { RetentionReader } from '../../apps/query/src/projects/retention.reader.js';
import { QueryExecutor } from '../../apps/query/src/query-executor.js';
import type { ReadContext } from '../../apps/query/src/read-context.js';
import { RefResolver } from '../../apps/query/src/refs/ref-resolver.js';
import { RefsReader } from '../../apps/query/src/refs/refs.reader.js';
import { ValueMemory } from '../../apps/query/src/refs/value-memory.js';
import { StatementQueue } from '../../apps/query/src/statement-queue.js';

/** Executes statements of reads without the query process. */
export function executorOf(
  store: Store,
  env: Readonly<Record<string, string>> = {},
): QueryExecutor {
  const config = readConfig(env).query;
  return new QueryExecutor(store, new StatementQueue(config), config);
}

/** The reader of calls without the query process. */
export function callsReader(
  store: Store,
  thresholds: CallThresholds = DEFAULT_CALL_THRESHOLDS,
): CallsReader {
  return callsReaderOf(executorOf(store), new RetentionReader(store), thresholds);
}

export function callsReaderOf(
  executor: QueryExecutor,
  retention: RetentionReader,
  thresholds: CallThresholds = DEFAULT_CALL_THRESHOLDS,
): CallsReader {
  const prices = new PricesReader(executor);
  const config = readConfig({}).query;
  const refs = new RefsReader(executor, new ValueMemory(config));
  const expansion = new CallExpansion(new RefResolver(refs), executor, config);
  const extras = new CallExtrasReader(executor, new CallCosts(prices), expansion, retention);
  const fields = new CallFieldsReader(prices, retention);
  return new CallsReader(
    executor,
    extras,
    new CallsPlanner(executor, retention, fields, expansion, thresholds),
    retention,
    new PayloadSearch(executor, thresholds),
    new CallStreams(executor, thresholds),
  );
}

/** The context of a caller who may read every project. */
export const aReadContext = (): ReadContext => ({
  principal: { user: 'ann', role: 'read', scope: '*', keyId: 'k' },
  projectIds: [],
  signal: new AbortController().signal,
  onClose: () => undefined,
  explanations: undefined,
});
