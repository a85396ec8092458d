import { bind, PRICES, sql, type Store } from '@app/clickhouse';
import { readConfig } from '@app/config';
import { micros } from '@app/wire';
import { RetentionReader } from '../../apps/query/src/projects/retention.reader.js';
import { WhatIfReader } from '../../apps/query/src/costs/what-if.reader.js';
import { QueryExecutor } from '../../apps/query/src/query-executor.js';
import type { ReadContext } from '../../apps/query/src/read-context.js';
import { StatementQueue } from '../../apps/query/src/statement-queue.js';
import { openStore } from '../support/store.js';
import { aProject } from '../support/test-server.js';

let store: Store;
beforeAll(() => void (store = openStore()));
afterAll(() => store.close());

const { query: config } = readConfig({});
const reading = {
  principal: { role: 'read' },
  projectIds: [],
  signal: new AbortController().signal,
  explanations: undefined,
} as unknown as ReadContext;

it('computes a price in the past of a million calls exactly, within the limits of a read', async () => {
  const project = aProject();
  const level_id = project;
  await store.insert(PRICES, [
    {
      ...{
        level: 'project' as const,
        level_id,
        llm_id: 'm',
        effective_date: micros(0),
        id: project,
      },
      ...{ provider_id: 'x', prompt_cost: '0.000001', completion_cost: '0' },
      ...{ cache_read_cost: '0', cache_write_cost: '0', prompt_unit: 'USD' },
      ...{ completion_unit: 'USD', created_by: 'ann', source: '', created_at: micros(1) },
      ...{ version: 1, is_deleted: 0 },
    },
  ]);
  const first = Date.UTC(2026, 2, 1) / 1000;
  await store.run(sql`INSERT INTO root_usage (project_id, started_at, id, model, nth, requests, prompt, uncached, completion, cache_read, cache_write, total, version)
SELECT ${bind('String', project)}, toDateTime64(${bind('UInt64', first)} + number, 6, 'UTC'), toString(number), 'm', 1, 1, 3, 3, 0, 0, 0, 3, 1
FROM numbers(1000000)`);
  const executor = new QueryExecutor(store, new StatementQueue(config), config);
  const reader = new WhatIfReader(executor, new RetentionReader(store));
  const begun = performance.now();
  // It is in force for the second half of the calls.
  const effective_date = new Date((first + 500_000) * 1000).toISOString();
  const proposed = { prompt_token_cost: 0.1, completion_token_cost: 0, effective_date };
  const result = await reader.read(
    { project_id: project, prices: [{ llm_id: 'm', ...proposed }] },
    reading,
  );

  const costs = { unit: 'USD', cost_now: '3', would_cost: '150001.5', difference: '149998.5' };
  expect(result.totals).toEqual([costs]);
  expect(result.models).toMatchObject([{ model: 'm', calls: 1_000_000, costs: [costs] }]);
  // Far above what it takes (0.2 s), and far below the limit of a read.
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(await reader.read({ project_id: project, without: [project] }, reading)).toMatchObject({
    models: [{ unpriced_tokens_then: 3_000_000 }],
  });
});
