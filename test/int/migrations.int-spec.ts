import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  addTextIndex,
  applyStorage,
  CALLS,
  connectClickHouse,
  isMigrated,
  migrate,
  migrationStatus,
  readMigrations,
  sql,
  storeChecks,
  Store,
  topologyOf,
  type ClickHouseClient,
  type MigrationProgress,
} from '@app/clickhouse';
import { createLogger } from '@app/observability';
import { connectRedis, withLock } from '@app/redis';
import { CallFields } from '../../apps/query/src/calls/call-fields.js';
import { callsQuery } from '../../apps/query/src/calls/calls-query.js';
import { keysOfCalls } from '../../apps/query/src/calls/calls.sql.js';
import { READ_SETTINGS } from '../../apps/query/src/read-settings.js';
import { micros } from '@app/wire';
import { aCallRow, openStore, theClickHouse } from '../support/store.js';

const single = topologyOf({ cluster: '', replicated: false });
const all = readMigrations().map(({ number }) => number);
const numbers = (migrations: readonly { number: number }[]) =>
  migrations.map(({ number }) => number);

const shared = openStore();
const clients: ClickHouseClient[] = [];
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await shared.close();
});

/** A new empty database for each test. */
async function emptyDatabase(): Promise<ClickHouseClient> {
  const database = `migrations_${randomUUID().replaceAll('-', '')}`;
  await shared.client.command({ query: `CREATE DATABASE ${database}` });
  const client = connectClickHouse(theClickHouse({ database }), 'test');
  clients.push(client);
  return client;
}

const numberOf = ({ migration }: MigrationProgress) => Number.parseInt(migration);

const interruptedIn = (number: number) => (progress: MigrationProgress) => {
  if (numberOf(progress) === number) throw new Error('interrupted');
};

const recorded = async (client: ClickHouseClient) => {
  const query = 'SELECT number FROM schema_migrations ORDER BY number';
  const rows = await client.query({ query, format: 'JSONEachRow' });
  return numbers(await rows.json<{ number: number }>());
};

describe('migrations', () => {
  it('are applied once and in order, and not applied again by a second run', async () => {
    const client = await emptyDatabase();
    const reported = new Set<number>();

    const first = await migrate(client, single, (progress) => reported.add(numberOf(progress)));
    const second = await migrate(client, single);

    expect(numbers(first)).toEqual(all);
    expect([...reported]).toEqual(all);
    expect(second).toEqual([]);
    expect(await recorded(client)).toEqual(all);
  });

  it('are listed as pending or applied, also on a server without any table', async () => {
    const client = await emptyDatabase();
    const states = async () => (await migrationStatus(client)).map(({ state }) => state);
    const health = () => storeChecks(new Store(client))[0]!.problem();

    expect(await states()).toEqual(all.map(() => 'pending'));
    expect(await isMigrated(client)).toBe(false);
    expect(await health()).toMatch(/migrations are pending/);

    await migrate(client, single);

    expect(await states()).toEqual(all.map(() => 'applied'));
    expect(await isMigrated(client)).toBe(true);
    expect(await health()).toBeUndefined();
  });

  it('are refused when an applied file was changed', async () => {
    const client = await emptyDatabase();
    await migrate(client, single);
    await client.insert({
      table: 'schema_migrations',
      values: [{ number: 1, name: 'calls', checksum: 'of another text', applied_at: '2100-01-01' }],
      format: 'JSONEachRow',
    });

    const [first] = await migrationStatus(client);

    expect(first!.state).toBe('changed');
    await expect(migrate(client, single)).rejects.toThrow(
      'Migration 1 (calls) was changed after it had been applied. ' +
        'Restore its text and put the change into a new migration.',
    );
  });

  it('continue after an earlier run that was interrupted', async () => {
    const client = await emptyDatabase();
    await expect(migrate(client, single, interruptedIn(2))).rejects.toThrow('interrupted');
    await client.command({ query: 'DROP TABLE schema_migrations' });

    expect(numbers(await migrate(client, single))).toEqual(all);
  });

  it('are applied once by two migrators at the same time, under the lock', async () => {
    const client = await emptyDatabase();
    const lock = `migrate-${randomUUID()}`;
    const redis = connectRedis(
      { url: process.env['REDIS_URL']! },
      'consumer',
      createLogger('test', 'error'),
    );
    const migrator = () => withLock(redis, lock, () => migrate(client, single));

    const applied = await Promise.all([migrator(), migrator()]);
    redis.disconnect();

    expect(applied.map(numbers).sort()).toEqual([[], all]);
    expect(await recorded(client)).toEqual(all);
  });

  it('are valid ClickHouse SQL, statement by statement, also for a cluster', async () => {
    const golden = new URL('../../libs/clickhouse/migrations/cluster.golden.sql', import.meta.url);
    const statements = readFileSync(golden, 'utf8').split(/;\n+/).filter(Boolean);
    const tree = async (statement: string) => {
      const response = await shared.client.query({
        query: `EXPLAIN AST ${statement}`,
        format: 'TabSeparated',
      });
      return response.text();
    };

    for (const statement of statements)
      expect(await tree(statement)).toMatch(/^(Create|Alter|Insert|Drop)Query/);
    expect(statements.length).toBeGreaterThan(20);
    await expect(tree(statements[0]!.replace('ENGINE', 'ENGIN'))).rejects.toThrow(/yntax/);
  });

  it('keep existing calls and build their indexes', async () => {
    const client = await emptyDatabase();
    await expect(migrate(client, single, interruptedIn(8))).rejects.toThrow('interrupted');
    await client.command({ query: 'ALTER TABLE calls MODIFY SETTING min_bytes_for_wide_part = 0' });
    const store = new Store(client);
    await store.insert(
      CALLS,
      Array.from({ length: 5000 }, (_, i) => aCallRow({ id: `c${i}`, trace_id: `t${i}` })),
    );

    await migrate(client, single);

    const statement = sql`SELECT id FROM calls WHERE project_id = 'acme/demo' AND trace_id = 't4321'`;
    const plan = (await store.explain(statement, READ_SETTINGS)).join('\n');
    expect(await store.rows(statement)).toEqual([{ id: 'c4321' }]);
    expect(plan).toMatch(/Name: by_trace[^]*?Granules: 1\/3/);
  });

  it('write to disk at once what no other table has: logs, receipts, files, rows and audit', async () => {
    const client = await emptyDatabase();
    await migrate(client, single);
    const query = `SELECT name FROM system.tables WHERE database = currentDatabase()
      AND match(create_table_query, 'fsync_after_insert = 1, fsync_part_directory = 1') ORDER BY name`;
    const rows = await (
      await client.query({ query, format: 'JSONEachRow' })
    ).json<{
      name: string;
    }>();

    expect(rows.map(({ name }) => name)).toEqual([
      ...['audit', 'call_events', 'dead_letters', 'files', 'receipt_totals', 'receipts'],
      ...['record_events', 'removed_facts', 'root_usage', 'table_positions', 'table_rows'],
    ]);
  });

  it('let fresh calls be compressed fast, and those of earlier days well', async () => {
    const client = await emptyDatabase();
    await migrate(client, single);
    const storage = { policy: '', coldVolume: '', coldAfterDays: 0 };
    expect(await applyStorage(client, single, storage)).toEqual(['call_events', 'calls']);
    expect(await applyStorage(client, single, storage)).toEqual([]);

    const store = new Store(client);
    const now = Date.now();
    for (const days of [0, 70]) {
      const started_at = micros((now - days * 86_400_000) * 1000);
      await store.insert(CALLS, [aCallRow({ id: `a call ${days} days ago`, started_at })]);
    }
    const codecs = async () => {
      const query = `SELECT DISTINCT default_compression_codec AS codec FROM system.parts
WHERE database = currentDatabase() AND table = 'calls' AND active ORDER BY partition`;
      const rows = await (await client.query({ query, format: 'JSONEachRow' })).json();
      return (rows as { codec: string }[]).map(({ codec }) => codec);
    };
    await client.command({ query: 'OPTIMIZE TABLE calls FINAL' });
    expect(await codecs()).toEqual(['ZSTD(3)', 'LZ4']);
  });

  it('run partition by partition, and continue with the partition in which they were interrupted', async () => {
    const client = await emptyDatabase();
    await expect(migrate(client, single, interruptedIn(7))).rejects.toThrow('interrupted');
    const store = new Store(client);
    const insert = `INSERT INTO calls (project_id, started_at, id, usage_model, usage_requests, usage_prompt, usage_uncached,
        usage_completion, usage_cache_read, usage_cache_write, usage_total)
      SELECT 'acme/demo', addMonths(toDateTime64('2026-01-05 00:00:00', 6), number), concat('c', toString(number)), ['m'],
        [1], [2], [2], [0], [0], [0], [2] FROM numbers(3)`;
    await client.command({ query: insert });
    const partitionsOf = (steps: readonly MigrationProgress[], number: number) =>
      steps.flatMap((step) =>
        numberOf(step) === number && step.partition && step.partsLeft === undefined
          ? [step.partition.id]
          : [],
      );
    const first: MigrationProgress[] = [];
    const stopsInSecond = (progress: MigrationProgress) => {
      if (numberOf(progress) === 7 && progress.partition?.id === '202602')
        throw new Error('interrupted');
      first.push(progress);
    };
    await expect(migrate(client, single, stopsInSecond)).rejects.toThrow(
      'The migration stopped in 0007_root_usage: interrupted Run `migrate` again when the cause is gone; ' +
        'it continues where it stopped.',
    );

    const second: MigrationProgress[] = [];
    await migrate(client, single, (progress) => second.push(progress));

    expect(partitionsOf(first, 7)).toEqual(['202601']);
    expect(partitionsOf(second, 7)).toEqual(['202602', '202603']);
    expect(partitionsOf(second, 8)).toEqual([
      ...['202601', '202602', '202603'],
      ...['202601', '202602', '202603'],
    ]);
    const rows = sql`SELECT id FROM root_usage FINAL ORDER BY id`;
    expect(await store.rows(rows)).toEqual([{ id: 'c0' }, { id: 'c1' }, { id: 'c2' }]);
  });

  it('can be followed by a text index, added any number of times, which a search then uses', async () => {
    const client = await emptyDatabase();
    await migrate(client, single);
    await addTextIndex(client, single);
    await addTextIndex(client, single);
    const store = new Store(client);
    const inputs = (i: number) => `{"q":"a statement about number-${i}-only"}`;
    await store.insert(
      CALLS,
      Array.from({ length: 5000 }, (_, i) => aCallRow({ id: `c${i}`, inputs: inputs(i) })),
    );

    const fields = new CallFields('acme/demo');
    const substr = { $literal: 'about number-4321-only' };
    const statement = callsQuery(
      {
        project_id: 'acme/demo',
        query: { $expr: { $contains: { input: { $getField: 'inputs' }, substr } } },
      },
      fields,
    );
    const plan = await store.explain(keysOfCalls(statement), READ_SETTINGS);

    expect(await store.rows(keysOfCalls(statement), READ_SETTINGS)).toMatchObject([
      { id: 'c4321' },
    ]);
    expect(plan.join('\n')).toContain('text_of_inputs');
    expect(await isMigrated(client)).toBe(true);
  });
});
