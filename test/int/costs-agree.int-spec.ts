import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  CALLS,
  PRICES,
  ROOT_USAGE,
  type CallRow,
  type PriceRow,
  type Store,
} from '@app/clickhouse';
import { readConfig } from '@app/config';
import { newRule } from '@app/alerts';
import { decimalOf, unitsOf } from '@app/pricing';
import { micros, millis } from '@app/wire';
import { CallCosts } from '../../apps/query/src/calls/call-costs.js';
import { CallFieldsReader } from '../../apps/query/src/calls/call-fields.reader.js';
import { selectedColumns } from '../../apps/query/src/calls/call-selection.js';
import { newestVersionOfCall, type CallRecordRow } from '../../apps/query/src/calls/calls.sql.js';
import { PricesReader } from '../../apps/query/src/costs/prices.reader.js';
import { WhatIfReader } from '../../apps/query/src/costs/what-if.reader.js';
import { RetentionReader } from '../../apps/query/src/projects/retention.reader.js';
import { QueryExecutor } from '../../apps/query/src/query-executor.js';
import type { ReadContext } from '../../apps/query/src/read-context.js';
import { StatementQueue } from '../../apps/query/src/statement-queue.js';
import { CallsStatsReader } from '../../apps/query/src/usage/calls-stats.reader.js';
import { CostsReportReader } from '../../apps/query/src/usage/costs-report.reader.js';
import { UsageReader } from '../../apps/query/src/usage/usage.reader.js';
import { AlertValuesReader } from '../../apps/worker/src/alerts/alert-values.reader.js';
import { rootUsageOf } from '../../apps/worker/src/calls/calls.writer.js';
import { aCallRow, openStore } from '../support/store.js';

const NOON = Date.UTC(2026, 2, 1, 12) * 1000;
const HOUR = 3_600_000_000;
const MODELS = ['small', 'large', 'unpriced'];

let store: Store;
beforeAll(() => void (store = openStore()));
afterAll(() => store.close());

const { query: bounds } = readConfig({});
const config = { ...bounds, maxSeconds: 60, maxMemoryBytes: 2 ** 31 };
const reading = {
  principal: { role: 'read' },
  projectIds: [],
  signal: new AbortController().signal,
  explanations: undefined,
} as unknown as ReadContext;

const tokens = fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.constant(999_999_999_999));
const usage = fc.record({
  model: fc.constantFrom(...MODELS),
  uncached: tokens,
  completion: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
});
/** Decimals with up to eighteen places. */
const cost = fc.bigInt({ min: 0n, max: 10n ** 18n }).map(decimalOf);
const price = fc.record({
  model: fc.constantFrom('small', 'large'),
  isDefault: fc.boolean(),
  hours: fc.integer({ min: -3, max: 3 }),
  prompt: cost,
  completion: cost,
  cacheRead: cost,
  cacheWrite: cost,
});
type Usage = typeof usage extends fc.Arbitrary<infer T> ? T : never;
type APrice = typeof price extends fc.Arbitrary<infer T> ? T : never;

/** A root whose usage is the sum of its children, as clients report it, and the children. */
function trace(project_id: string, run: string, children: readonly Usage[]): CallRow[] {
  const sums = new Map<string, Usage>();
  for (const one of children) {
    const sum = sums.get(one.model);
    sums.set(one.model, sum ? { ...one, ...added(sum, one) } : one);
  }
  const root = randomUUID();
  const trace_id = randomUUID();
  const row = (id: string, parent_id: string, started_at: number, used: readonly Usage[]) =>
    aCallRow({
      project_id,
      id,
      parent_id,
      trace_id,
      started_at: micros(started_at),
      ...usageColumns(used, run),
    });
  return [
    row(root, '', NOON, [...sums.values()]),
    ...children.map((one, i) => row(`${root}-${i}`, root, NOON + i + 1, [one])),
  ];
}

const added = (a: Usage, b: Usage) => ({
  uncached: a.uncached + b.uncached,
  completion: a.completion + b.completion,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
});

function usageColumns(used: readonly Usage[], run: string): Partial<CallRow> {
  const input = (one: Usage) => one.uncached + one.cacheRead + one.cacheWrite;
  return {
    usage_model: used.map(({ model }) => `${model}-${run}`),
    usage_requests: used.map(() => 1),
    usage_prompt: used.map(input),
    usage_uncached: used.map(({ uncached }) => uncached),
    usage_completion: used.map(({ completion }) => completion),
    usage_cache_read: used.map(({ cacheRead }) => cacheRead),
    usage_cache_write: used.map(({ cacheWrite }) => cacheWrite),
    usage_total: used.map((one) => input(one) + one.completion),
  };
}

/** Default prices apply to all projects, so the name of a model has the name of the run in it. */
function priceRow(project_id: string, run: string, one: APrice, i: number): PriceRow {
  return {
    level: one.isDefault ? 'default' : 'project',
    level_id: one.isDefault ? 'default' : project_id,
    llm_id: `${one.model}-${run}`,
    effective_date: micros(NOON + one.hours * HOUR),
    id: randomUUID(),
    provider_id: 'x',
    prompt_cost: one.prompt,
    completion_cost: one.completion,
    cache_read_cost: one.cacheRead,
    cache_write_cost: one.cacheWrite,
    prompt_unit: 'USD',
    completion_unit: 'USD',
    created_by: 'ann',
    source: '',
    created_at: micros(NOON + i),
    version: 1,
    is_deleted: 0,
  };
}

/** The sum of all decimals under this key. */
function sumOf(text: string, name: string): string {
  const found = [...text.matchAll(new RegExp(`"${name}":(-?[0-9.]+)`, 'g'))];
  return decimalOf(found.reduce((sum, [, decimal]) => sum + unitsOf(decimal!), 0n));
}

const TOTALS = '(?:prompt|completion|cache_read_input|cache_creation_input)_tokens_total_cost';

it('gives a trace the same cost in every response, to the last decimal', async () => {
  const executor = new QueryExecutor(store, new StatementQueue(config), config);
  const prices = new PricesReader(executor);
  const retention = new RetentionReader(store);
  const fields = new CallFieldsReader(prices, retention);
  const reports = new CostsReportReader(executor, prices, retention, fields);
  const statistics = new CallsStatsReader(executor, prices, retention, fields);
  const usages = new UsageReader(executor, prices, retention, fields);
  const costs = new CallCosts(prices);
  const alerts = new AlertValuesReader(store);
  const whatIfs = new WhatIfReader(executor, retention);
  const window = { start: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z' };

  const some = fc.tuple(
    fc.array(usage, { minLength: 1, maxLength: 6 }),
    fc.array(price, { maxLength: 6 }),
  );
  await fc.assert(
    fc.asyncProperty(some, async ([children, history]) => {
      const run = randomUUID().slice(0, 8);
      const project_id = `acme/costs-${run}`;
      const calls = trace(project_id, run, children);
      await store.insert(CALLS, calls);
      await store.insert(ROOT_USAGE, calls.flatMap(rootUsageOf));
      await store.insert(
        PRICES,
        history.map((one, i) => priceRow(project_id, run, one, i)),
      );

      const root = calls[0]!.id;
      const rows = await executor.rows<CallRecordRow>(
        newestVersionOfCall(project_id, root, selectedColumns(['id'], ['usage'])),
        reading,
      );
      const read = (await costs.ofCalls(project_id, rows, reading)).get(root) ?? '';
      const stats = await statistics.stats(
        {
          project_id,
          ...window,
          usage_metrics: [{ metric: 'total_cost' }],
          filter: { trace_roots_only: true },
        },
        reading,
      );
      const used = await usages.ofCalls(
        { project_id, call_ids: [root], include_costs: true },
        reading,
      );
      const report = async (group_by: string[]) => {
        const pieces: Buffer[] = [];
        const request = { project_id, ...window, group_by };
        for await (const piece of reports.report(request, 'json', reading)) pieces.push(piece);
        return sumOf(Buffer.concat(pieces).toString('utf8'), 'total_cost');
      };

      // At the end of that day, what a budget is compared with.
      const budget = newRule('cost', { name: 'budget', threshold: 0 }, 'ann', millis(0));
      const alert = await alerts.read(project_id, budget, millis(Date.parse(window.end) - 1));
      const proposed = MODELS.map((model) => ({
        ...{ llm_id: `${model}-${run}`, prompt_token_cost: 0, completion_token_cost: 0 },
        effective_date: '2199-01-01T00:00:00Z',
      }));
      const { totals } = await whatIfs.read({ project_id, ...window, prices: proposed }, reading);

      const cost = sumOf(read, TOTALS);
      expect({
        alert: decimalOf(unitsOf(alert.value!)),
        whatIf: totals[0]?.cost_now ?? '0',
        stats: sumOf(stats, 'sum_total_cost'),
        usage: sumOf(used, TOTALS),
        report: await report(['day', 'model']),
        // `root_usage` has no traces, so this report reads the calls.
        reportOfCalls: await report(['model', 'trace']),
      }).toEqual({
        ...{ alert: cost, whatIf: cost, stats: cost, usage: cost, report: cost },
        reportOfCalls: cost,
      });
    }),
    { numRuns: 25 },
  );
});
