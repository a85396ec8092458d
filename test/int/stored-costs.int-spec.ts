import { randomUUID } from 'node:crypto';
import {
  bind,
  CALLS,
  DEFAULT_LEVEL_ID,
  PRICES,
  readMigrations,
  renderMigration,
  sql,
  type CallRow,
  type PriceRow,
  type Sql,
  type Store,
} from '@app/clickhouse';
import { StalePrices } from '@app/queue';
import { Redis } from '@app/redis';
import { micros, millis } from '@app/wire';
import { CallsWriter, rootUsageOf } from '../../apps/worker/src/calls/calls.writer.js';
import { CostsAtWrite, PRICES_FRESH_MS } from '../../apps/worker/src/costs/costs-at-write.js';
import { Repricing } from '../../apps/worker/src/costs/repricing.js';
import { RewriteLock, RewriteRunningError } from '../../apps/worker/src/repair/rewrite-lock.js';
import { theRedis } from '../support/queue.js';
import { aProject } from '../support/test-server.js';
import { aCallRow, openStore } from '../support/store.js';

const MARCH = micros(Date.UTC(2026, 2, 1) * 1000);
const APRIL = micros(Date.UTC(2026, 3, 1) * 1000);

let store: Store;
let redis: Redis;
beforeAll(() => {
  store = openStore();
  redis = new Redis(theRedis(5));
});
afterAll(async () => {
  redis.disconnect();
  await store.close();
});

const aPrice = (level_id: string, llm_id: string, fields: Partial<PriceRow> = {}): PriceRow => ({
  level: 'project',
  level_id,
  llm_id,
  effective_date: micros(0),
  id: randomUUID(),
  provider_id: 'x',
  prompt_cost: '0.5',
  completion_cost: '0.25',
  cache_read_cost: '0.000000000000000001',
  cache_write_cost: '0',
  prompt_unit: 'USD',
  completion_unit: 'USD',
  created_by: 'ann',
  source: '',
  created_at: micros(1),
  version: 1,
  is_deleted: 0,
  ...fields,
});

/** A call with three input tokens, one of them cached, and four output tokens for each model. */
const used = (project_id: string, models: readonly string[], fields: Partial<CallRow> = {}) =>
  aCallRow({
    project_id,
    started_at: MARCH,
    usage_model: models,
    usage_requests: models.map(() => 1),
    usage_prompt: models.map(() => 3),
    usage_uncached: models.map(() => 2),
    usage_completion: models.map(() => 4),
    usage_cache_read: models.map(() => 1),
    usage_cache_write: models.map(() => 0),
    usage_total: models.map(() => 7),
    ...fields,
  });

const ofProject = (projectId: string): Sql => sql`project_id = ${bind('String', projectId)}`;
const costs = async (projectId: string) => {
  const rows = await store.rows<{ id: string; cost: string; version: string }>(
    sql`SELECT id, toString(cost_at_write) AS cost, toString(version) AS version FROM calls FINAL WHERE ${ofProject(projectId)}`,
  );
  return Object.fromEntries(rows.map(({ id, cost }) => [id, cost]));
};

describe('the cost that is written with a call', () => {
  it('is the sum over its models, with the prices that were effective when it started', async () => {
    const [project, other] = [aProject(), aProject()];
    await store.insert(PRICES, [
      aPrice(project, 'a'),
      aPrice(project, 'b', { prompt_cost: '1' }),
      aPrice(project, 'a', { effective_date: APRIL, prompt_cost: '10' }),
      aPrice(other, 'a', { prompt_cost: '7' }),
    ]);
    const calls = [
      used(project, ['a'], { id: 'one' }),
      used(project, ['a', 'b'], { id: 'two' }),
      used(project, ['a'], { id: 'later', started_at: micros(APRIL + 1) }),
      used(project, ['unpriced'], { id: 'free' }),
      aCallRow({ project_id: project, id: 'unused' }),
      used(other, ['a'], { id: 'other' }),
    ];
    await new CallsWriter(store, new CostsAtWrite(store)).write({ calls, usage: [] });

    expect(await costs(project)).toEqual({
      one: '2.000000000000000001',
      two: '5.000000000000000002',
      later: '21.000000000000000001',
      free: '0',
      unused: '0',
    });
    expect(await costs(other)).toEqual({ other: '15.000000000000000001' });
  });

  it('uses changed prices after a short time, and reads prices only when its cache is old', async () => {
    const project = aProject();
    await store.insert(PRICES, [aPrice(project, 'a')]);
    const statements: unknown[] = [];
    const counting = Object.create(store, {
      rows: { value: (statement: Sql) => (statements.push(statement), store.rows(statement)) },
    }) as Store;
    const current = new CostsAtWrite(counting);
    const costAt = async (now: number, model = 'a') => {
      const row = used(project, [model]);
      await current.set([row], millis(now));
      return row.cost_at_write;
    };
    const old = 2_000000000000000001n;

    expect(await costAt(0)).toBe(old);
    await store.insert(PRICES, [aPrice(project, 'a', { prompt_cost: '1', created_at: micros(2) })]);
    expect(await costAt(PRICES_FRESH_MS - 1)).toBe(old);
    expect(statements).toHaveLength(3);
    expect(await costAt(PRICES_FRESH_MS)).toBe(old + 10n ** 18n);
    expect(await costAt(PRICES_FRESH_MS + 1, 'b')).toBe(0n);
    expect(statements).toHaveLength(5);
  });

  it('loads default prices again only after one of them was added, changed or removed', async () => {
    const project = aProject();
    const model = `model-${project}`;
    const texts: string[] = [];
    const recording = Object.create(store, {
      rows: {
        value: (statement: Sql) => {
          texts.push(statement.render().query);
          return store.rows(statement);
        },
      },
    }) as Store;
    const current = new CostsAtWrite(recording);
    let now = 0;
    /** The cost after the cache has become old, and how often all default prices were read for it. */
    const next = async () => {
      texts.length = 0;
      const row = used(project, [model]);
      await current.set([row], millis((now += PRICES_FRESH_MS)));
      const loads = texts.filter((text) => text.includes('prompt_cost') && /'default'/.test(text));
      return [row.cost_at_write, loads.length];
    };
    const price = aPrice(DEFAULT_LEVEL_ID, model, { level: 'default' });
    const change = (fields: Partial<PriceRow>) => store.insert(PRICES, [{ ...price, ...fields }]);
    const cost = 2_000000000000000001n;

    expect([await next(), await next()]).toEqual([
      [0n, 1],
      [0n, 0],
    ]);
    await change({});
    expect([await next(), await next()]).toEqual([
      [cost, 1],
      [cost, 0],
    ]);
    await change({ prompt_cost: '1' });
    expect([await next(), await next()]).toEqual([
      [cost + 10n ** 18n, 1],
      [cost + 10n ** 18n, 0],
    ]);
    await change({ version: 2, is_deleted: 1 });
    expect([await next(), await next()]).toEqual([
      [0n, 1],
      [0n, 0],
    ]);
  });

  it('reads prices with statements of the same size, however many models a call has used', async () => {
    const project = aProject();
    const params: string[] = [];
    const recording = Object.create(store, {
      rows: {
        value: (statement: Sql) => {
          params.push(JSON.stringify(statement.render().query_params));
          return store.rows(statement);
        },
      },
    }) as Store;
    const models = Array.from({ length: 5000 }, (_, n) => `model-${n}`);
    await store.insert(PRICES, [aPrice(project, 'model-4999')]);
    const row = used(project, models);
    await new CostsAtWrite(recording).set([row], millis(0));

    expect(row.cost_at_write).toBe(2_000000000000000001n);
    expect(params).toHaveLength(3);
    expect(params.join()).not.toContain('model-');
  });

  it('is capped at the largest value of its column', async () => {
    const project = aProject();
    await store.insert(PRICES, [aPrice(project, 'a', { prompt_cost: '9999999' })]);
    const many = used(project, ['a'], { id: 'c', usage_uncached: [1e15] });
    await new CallsWriter(store, new CostsAtWrite(store)).write({ calls: [many], usage: [] });
    expect(await costs(project)).toEqual({ c: '99999999999999999999.999999999999999999' });
  });

  it('is updated after a change of prices, a month at a time, and no other column changes', async () => {
    const project = aProject();
    await store.insert(PRICES, [aPrice(project, 'a')]);
    const calls = [
      used(project, ['a'], { id: 'march', version: 2n, inputs: '{"keep": 1}' }),
      used(project, ['a'], { id: 'april', started_at: APRIL }),
      used(project, ['b'], { id: 'free' }),
      used(project, ['a'], { id: 'gone', is_deleted: 1, version: 9n }),
    ];
    await new CallsWriter(store, new CostsAtWrite(store)).write({ calls, usage: [] });
    const otherColumns = sql`SELECT * EXCEPT (cost_at_write, price_rev) FROM calls FINAL WHERE ${ofProject(project)} ORDER BY id`;
    const before = await store.rows(otherColumns);
    await store.insert(PRICES, [aPrice(project, 'a', { prompt_cost: '1', created_at: micros(2) })]);

    const steps = [];
    const repricing = new Repricing(store, new RewriteLock(redis));
    for await (const step of repricing.reprice(project, millis(77))) steps.push(step);

    expect(steps).toEqual([
      { done: 1, total: 4 },
      { done: 4, total: 4 },
    ]);
    expect(await costs(project)).toEqual({
      march: '3.000000000000000001',
      april: '3.000000000000000001',
      free: '0',
    });
    expect(await store.rows(otherColumns)).toEqual(before);
    const revisions = sql`SELECT id FROM calls FINAL WHERE ${ofProject(project)} AND price_rev = 77 ORDER BY id`;
    expect(await store.rows(revisions)).toEqual([{ id: 'april' }, { id: 'march' }]);
  });

  it('is not updated while rows are erased, which the update would bring back', async () => {
    const project = aProject();
    await store.insert(PRICES, [aPrice(project, 'a')]);
    const calls = [used(project, ['a'], { id: 'erased' })];
    await new CallsWriter(store, new CostsAtWrite(store)).write({ calls, usage: [] });
    await store.insert(PRICES, [aPrice(project, 'a', { prompt_cost: '1', created_at: micros(2) })]);
    const lock = new RewriteLock(redis);

    const repriced = lock.run(() => new Repricing(store, lock).reprice(project).next());

    await expect(repriced).rejects.toThrow(RewriteRunningError);
    expect(await costs(project)).toEqual({ erased: '2.000000000000000001' });
  });
});

describe('the progress of a refresh', () => {
  it('is that of the last change of prices, until all costs are current', async () => {
    const stale = new StalePrices(redis);
    const [project, other] = [aProject(), aProject()];
    await stale.mark([project], millis(1000));
    expect(await stale.of(project)).toEqual({ changedAt: 1000, done: 0, total: 0 });
    expect(await stale.of(other)).toBeUndefined();

    await stale.setProgress(project, { done: 20, total: 30 });
    await stale.mark([project], millis(2000));
    expect(await stale.of(project)).toEqual({ changedAt: 2000, done: 20, total: 30 });

    // A price has changed meanwhile: the refresh begins again.
    await stale.done(project, '1000');
    expect(await stale.of(project)).toEqual({ changedAt: 2000, done: 0, total: 0 });
    await stale.done(project, '2000');
    expect(await stale.of(project)).toBeUndefined();
  });
});

describe('the usage of roots', () => {
  it('is computed for calls that were stored before its table existed', async () => {
    const project = aProject();
    const calls = [
      used(project, ['a', 'b'], { id: 'root' }),
      used(project, ['a'], { id: 'root', version: 0n }),
      used(project, ['a'], { id: 'span', parent_id: 'root', otel_dump: '{}' }),
      used(project, ['a'], { id: 'child', parent_id: 'root' }),
      used(project, ['a'], { id: 'gone', is_deleted: 1 }),
      used(project, [], { id: 'unused' }),
    ];
    await store.insert(CALLS, calls);
    const { text } = readMigrations().find(({ name }) => name === 'root_usage')!;
    const fill = renderMigration(text, { kind: 'single' }).find((one) => one.startsWith('INSERT'))!;
    // Other tests use the same tables, so the statement is limited to this project.
    const ours = fill.replace('WHERE notEmpty', `WHERE project_id = '${project}' AND notEmpty`);
    for (const query of [ours, ours]) await store.client.command({ query });

    const rows = await store.rows<{ id: string }>(
      sql`SELECT * REPLACE (toUnixTimestamp64Micro(started_at) AS started_at, toString(version) AS version)
        FROM root_usage FINAL WHERE ${ofProject(project)} ORDER BY id, model`,
      { output_format_json_quote_64bit_integers: 0 },
    );
    expect(rows).toEqual(
      [calls[0]!, calls[2]!]
        .flatMap(rootUsageOf)
        .map((row) => ({ ...row, version: String(row.version) })),
    );
  });
});
