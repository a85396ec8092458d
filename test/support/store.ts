import { randomUUID } from 'node:crypto';
import { bind, connectStore, migrate, sql, type CallRow, type Store } from '@app/clickhouse';
import type { ClickHouseConfig } from '@app/config';
import { micros } from '@app/wire';
import { decodedMap, encodedMap } from './encoded-map.js';

/** The ClickHouse server that the int project has started. */
export const theClickHouse = (fields: Partial<ClickHouseConfig> = {}): ClickHouseConfig => ({
  url: process.env['CLICKHOUSE_URL']!,
  user: process.env['CLICKHOUSE_USER']!,
  password: process.env['CLICKHOUSE_PASSWORD']!,
  database: 'default',
  cluster: '',
  replicated: false,
  caFile: '',
  certFile: '',
  keyFile: '',
  ...fields,
});

/** A connection to the default database, which has all tables, unless the test names another. */
export const openStore = (fields: Partial<ClickHouseConfig> = {}): Store =>
  connectStore(theClickHouse(fields), 'test');

/** A connection to a new database, for tests that exchange or damage whole tables. */
export async function openOwnStore(): Promise<Store> {
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  const shared = openStore();
  await shared.client.command({ query: `CREATE DATABASE ${database}` });
  await shared.close();
  const store = openStore({ database });
  await migrate(store.client, { kind: 'single' });
  return store;
}

/** The stored calls of a project with all columns that the worker writes, as numbers and texts of JSON. */
export async function storedCalls(store: Store, projectId: string): Promise<{ id: string }[]> {
  return store.rows(
    sql`SELECT * EXCEPT (cost_at_write, price_rev)
      REPLACE (toUnixTimestamp64Micro(started_at) AS started_at,
        toUnixTimestamp64Micro(ended_at) AS ended_at, toString(version) AS version)
      FROM calls FINAL WHERE project_id = ${bind('String', projectId)} ORDER BY id`,
    { output_format_json_quote_64bit_integers: 0 },
  );
}

/** A row as `storedCalls` returns it. */
export const asStored = ({ cost_at_write: _, ...row }: CallRow): object =>
  Object.fromEntries(
    Object.entries({
      ...row,
      leaf_s: Object.fromEntries(decodedMap(row.leaf_s, 's')),
      leaf_n: Object.fromEntries(decodedMap(row.leaf_n, 'n')),
      leaf_b: Object.fromEntries(decodedMap(row.leaf_b, 'b')),
    }).map(([name, value]) => [name, plain(value)]),
  );

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return Buffer.isBuffer(value) ? value.toString('utf8') : value;
}

/** A row of a running call; a test sets only the fields it is about. */
export const aCallRow = (fields: Partial<CallRow> = {}): CallRow => ({
  project_id: 'acme/demo',
  started_at: micros(Date.UTC(2026, 2, 1, 10) * 1000),
  id: randomUUID(),
  trace_id: randomUUID(),
  parent_id: '',
  thread_id: '',
  turn_id: '',
  op_name: 'summarise',
  op_id: 'summarise',
  display_name: '',
  ended_at: micros(0),
  status: 'running',
  exception: '',
  user_id: 'ann',
  run_id: '',
  run_step: -1,
  run_step_end: -1,
  input_refs: [],
  output_refs: [],
  usage_model: [],
  usage_requests: [],
  usage_prompt: [],
  usage_uncached: [],
  usage_completion: [],
  usage_cache_read: [],
  usage_cache_write: [],
  usage_total: [],
  cost_at_write: 0n,
  attributes: '{}',
  inputs: '{}',
  output: '',
  summary: '',
  otel_dump: '',
  size_bytes: 4,
  leaf_s: encodedMap([], 's'),
  leaf_n: encodedMap([], 'n'),
  leaf_b: encodedMap([], 'b'),
  leaf_rest: [],
  leaf_full: 2,
  version: 1n,
  is_deleted: 0,
  ...fields,
});
