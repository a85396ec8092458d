import { randomUUID } from 'node:crypto';
import { connectClickHouse, Store, type CallRow } from '@app/clickhouse';
import type { ClickHouseConfig } from '@app/config';

/** The ClickHouse that the int project has started. */
export const theClickHouse = (fields: Partial<ClickHouseConfig> = {}): ClickHouseConfig => ({
  url: process.env['CLICKHOUSE_URL']!,
  user: process.env['CLICKHOUSE_USER']!,
  password: process.env['CLICKHOUSE_PASSWORD']!,
  database: 'default',
  cluster: '',
  ...fields,
});

/** A connection to it, with all tables unless the test asks for a database of its own. */
export const openStore = (fields: Partial<ClickHouseConfig> = {}): Store =>
  new Store(connectClickHouse(theClickHouse(fields), 'test'));

/** A row of a running call; a test states only what it is about. */
export const aCallRow = (fields: Partial<CallRow> = {}): CallRow => ({
  project_id: 'acme/demo',
  started_at: Date.UTC(2026, 2, 1, 10) * 1000,
  id: randomUUID(),
  trace_id: randomUUID(),
  parent_id: '',
  thread_id: '',
  turn_id: '',
  op_name: 'summarise',
  op_id: 'summarise',
  display_name: '',
  ended_at: 0,
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
  usage_completion: [],
  usage_cache_read: [],
  usage_cache_write: [],
  usage_total: [],
  attributes: '{}',
  inputs: '{}',
  output: '',
  summary: '',
  otel_dump: '',
  size_bytes: 4,
  leaf_s: new Map(),
  leaf_n: new Map(),
  leaf_b: new Map(),
  leaf_full: 1,
  version: 1n,
  is_deleted: 0,
  ...fields,
});
