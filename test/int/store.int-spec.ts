import fc from 'fast-check';
import { bind, CALLS, DELETED_VERSION, sql, type CallRow } from '@app/clickhouse';
import { micros } from '@app/wire';
import { encodedMap } from '../support/encoded-map.js';
import { aProject } from '../support/test-server.js';
import { aCallRow, asStored, openStore, storedCalls } from '../support/store.js';

const store = openStore();
afterAll(() => store.close());

const NASTY = [
  '',
  '\n\n',
  '\n',
  '\\N',
  '\t\r\b\f\v\u0001\u001f\u007f',
  `"'\`\\`,
  "'); DROP TABLE calls; --",
  '{p0:String}',
  'é ✓ 😀 \u2028',
  '\ufeff',
  'x'.repeat(70_000),
];
const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'grapheme' }));
const count = fc.oneof(fc.nat(), fc.constantFrom(2 ** 32, Number.MAX_SAFE_INTEGER));

const anUnusualRow = fc.record({
  trace_id: text,
  parent_id: text,
  thread_id: text,
  turn_id: text,
  op_name: text,
  op_id: text,
  display_name: text,
  exception: text,
  user_id: text,
  run_id: text,
  started_at: fc.constantFrom(0, 946_684_800_000_000, 1_772_359_200_123_456).map(micros),
  ended_at: fc.constantFrom(0, 1_772_359_200_999_999).map(micros),
  status: fc.constantFrom('running', 'success', 'error', 'descendant_error'),
  run_step: fc.constantFrom(-1, 0, 2 ** 32, Number.MAX_SAFE_INTEGER),
  input_refs: fc.array(text),
  output_refs: fc.array(text),
  usage_model: fc.array(text),
  usage_prompt: fc.array(count),
  attributes: text,
  inputs: text.map((value) => Buffer.from(value)),
  size_bytes: count,
  leaf_s: fc.array(fc.tuple(text, text)).map((entries) => encodedMap(new Map(entries), 's')),
  leaf_n: fc
    .array(fc.tuple(text, fc.constantFrom(0, -1.5, 1e300, 5e-324)))
    .map((entries) => encodedMap(new Map(entries), 'n')),
  leaf_b: fc
    .array(fc.tuple(text, fc.boolean()))
    .map((entries) => encodedMap(new Map(entries), 'b')),
  version: fc.constantFrom(1n, DELETED_VERSION, 2n ** 64n - 1n),
}) as fc.Arbitrary<Partial<CallRow>>;

describe('a row', () => {
  it('is read from ClickHouse as it was written, whatever its values', async () => {
    const project_id = aProject();
    const rows = fc
      .sample(anUnusualRow, { numRuns: 100, seed: 1 })
      .map((fields, i) =>
        aCallRow({ ...fields, project_id, id: `c${String(i).padStart(3, '0')}` }),
      );

    await store.insert(CALLS, rows);

    expect(await storedCalls(store, project_id)).toEqual(rows.map(asStored));
  });

  it('may begin with a byte that is a line break', async () => {
    // Both texts have ten bytes, and the length before a text, 10, is the code of a line break.
    const project_id = `a/${aProject().slice(-8)}`;
    const rows = ['0123456789', '\n\n\n\n\n\n\n\n\n\n'].map((id) => aCallRow({ project_id, id }));
    expect(Buffer.byteLength(project_id)).toBe(10);

    await store.insert(CALLS, rows);

    expect(await storedCalls(store, project_id)).toEqual(rows.map(asStored).reverse());
  });

  it('is stored with a thousand others, some of them large, in one insert', async () => {
    const project_id = aProject();
    const row = (i: number) =>
      aCallRow({ project_id, inputs: i % 100 === 0 ? '\n'.repeat(500_000) : '{}' });

    await store.insert(
      CALLS,
      Array.from({ length: 1000 }, (_, i) => row(i)),
    );

    const [totals] = await store.rows(
      sql`SELECT toUInt32(count()) AS rows, toUInt32(sum(length(inputs))) AS bytes FROM calls WHERE project_id = ${bind('String', project_id)}`,
    );
    expect(totals).toEqual({ rows: 1000, bytes: 10 * 500_000 + 990 * 2 });
  });

  it('is not required: an insert of no rows resolves', async () => {
    await expect(store.insert(CALLS, [])).resolves.toBeUndefined();
  });
});

describe('the store', () => {
  const nowhere = { ...CALLS, name: 'nowhere' };

  it('is unavailable while a table does not exist', async () => {
    const unavailable = {
      code: 'storage_unavailable',
      message: expect.stringContaining('nowhere') as string,
    };

    await expect(store.rows(sql`SELECT 1 FROM nowhere`)).rejects.toMatchObject(unavailable);
    await expect(store.insert(nowhere, [aCallRow()])).rejects.toMatchObject(unavailable);
  });

  it('is unavailable while no server is listening', async () => {
    const offline = openStore({ url: 'http://127.0.0.1:1' });

    await expect(offline.rows(sql`SELECT 1`)).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    await expect(offline.insert(CALLS, [aCallRow()])).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(await offline.isUp()).toBe(false);
    await offline.close();
  });

  it('is unavailable while the password is wrong', async () => {
    const unauthorized = openStore({ password: 'wrong' });

    await expect(unauthorized.rows(sql`SELECT 1`)).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    await unauthorized.close();
  });

  it('is unavailable while a column does not exist', async () => {
    await expect(store.rows(sql`SELECT no_such_column FROM calls`)).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
  });

  it('refuses invalid values, and reports invalid SQL as unexpected', async () => {
    await expect(store.rows(sql`SELEC 1`)).rejects.toMatchObject({
      code: 'storage_unavailable',
      isUnexpected: true,
    });
    await expect(store.rows(sql`SELECT ${bind('UInt64', 'no number')}`)).rejects.toMatchObject({
      code: 'storage_refused',
    });
  });

  it('refuses a row that does not fit its table together with the whole insert', async () => {
    const project_id = aProject();
    const rows = [aCallRow({ project_id }), aCallRow({ project_id, run_step: 1e300 })];

    await expect(store.insert(CALLS, rows)).rejects.toMatchObject({ code: 'storage_refused' });
    expect(await storedCalls(store, project_id)).toEqual([]);
  });

  it('binds values of any length', async () => {
    const values = Array.from({ length: 1000 }, (_, i) => `${i}${'é'.repeat(1000)}`);

    const [response] = await store.rows(
      sql`SELECT toUInt32(length(${bind('Array(String)', values)})) AS values`,
    );

    expect(response).toEqual({ values: 1000 });
  });
});

describe('a connection to a cluster', () => {
  it('has only settings that ClickHouse accepts', async () => {
    const onCluster = openStore({ cluster: 'main' });
    const [row] = await onCluster.rows<{ value: string }>(
      sql`SELECT toString(getSetting('distributed_foreground_insert')) AS value`,
    );
    await onCluster.close();
    expect(row!.value).toMatch(/^(1|true)$/);
  });
});
