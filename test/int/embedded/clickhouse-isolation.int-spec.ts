import { ClickHouseError } from '@clickhouse/client';
import { clientOf, rowsOf, startEngine, until, type TestEngine } from './engine.js';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.close());

const command = (query: string) => engine.client.command({ query });
/** Uses every connection at once, so that state left by an earlier statement is found on any of them. */
const everywhere = <T>(send: () => Promise<T>) => Promise.all(Array.from({ length: 24 }, send));

describe('a setting', () => {
  it('applies to its own statement only', async () => {
    const query = "SELECT getSetting('max_threads') AS threads, toUInt64(5) AS n";
    const [usual] = await rowsOf(engine.client, query);
    const clickhouse_settings = {
      max_threads: 7,
      output_format_json_quote_64bit_integers: 1,
    } as const;
    for (const format of ['JSONEachRow', 'JSON'] as const) {
      await everywhere(async () => {
        const result = await engine.client.query({ query, clickhouse_settings, format });
        expect(await result.text()).toMatch(/"threads": ?7,\s*"n": ?"5"/);
      });
    }
    const after = await everywhere(() => rowsOf(engine.client, query));
    expect(new Set(after.map((rows) => JSON.stringify(rows)))).toEqual(
      new Set([JSON.stringify([usual])]),
    );
  });

  it('given by SET ends with its statement', async () => {
    await everywhere(() => command('SET max_block_size = 77'));
    const query = "SELECT getSetting('max_block_size') AS n";
    const after = await everywhere(() => rowsOf(engine.client, query));
    expect(after.flat()).not.toContainEqual({ n: 77 });
  });

  it('does not deduplicate a later insert', async () => {
    await command(`CREATE TABLE once (a UInt64) ENGINE = MergeTree ORDER BY a
      SETTINGS non_replicated_deduplication_window = 100`);
    const insert = (a: number, token?: string) =>
      engine.client.insert({
        table: 'once',
        values: [{ a }],
        format: 'JSONEachRow',
        ...(token && { clickhouse_settings: { insert_deduplication_token: token } }),
      });
    await insert(1, 'token');
    await insert(2, 'token');
    await everywhere(() => insert(3));
    await Promise.all(Array.from({ length: 24 }, (_, i) => insert(10 + i)));
    expect(await rowsOf(engine.client, 'SELECT a FROM once WHERE a < 3')).toEqual([{ a: 1 }]);
    expect(await rowsOf(engine.client, 'SELECT count() AS n FROM once WHERE a >= 10')).toEqual([
      { n: 24 },
    ]);
  });

  it('of a CREATE TABLE does not become a setting of the table', async () => {
    await engine.client.command({
      query: 'CREATE TABLE plain (a UInt8) ENGINE = MergeTree ORDER BY a',
      clickhouse_settings: { max_threads: 3 },
    });
    const [row] = await rowsOf<{ statement: string }>(engine.client, 'SHOW CREATE TABLE plain');
    expect(row?.statement).not.toContain('max_threads');
  });
});

describe('an error', () => {
  const codeOf = async (query: string, clickhouse_settings = {}) => {
    const result = engine.client.query({ query, clickhouse_settings, format: 'JSONEachRow' });
    const error: unknown = await result.then(
      (rows) => rows.json(),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ClickHouseError);
    return Number((error as ClickHouseError).code);
  };

  it('keeps its code', async () => {
    expect(await codeOf('SELECT * FROM nowhere')).toBe(60);
    expect(await codeOf('SELEKT 1')).toBe(62);
    expect(await codeOf('SELECT 1; SELECT 2')).toBe(62);
    expect(await codeOf('SELECT nothing')).toBe(47);
    expect(await codeOf("SELECT throwIf(1, 'no')")).toBe(395);
    expect(await codeOf('SELECT 1', { no_such_setting: 1 })).toBe(115);
    expect(
      await codeOf('SELECT sum(sipHash64(number)) FROM numbers(1e11)', { max_execution_time: 0.3 }),
    ).toBe(159);
    expect(
      await codeOf('SELECT groupArray(number) FROM numbers(1e8)', { max_memory_usage: '10000000' }),
    ).toBe(241);
  });

  it('has a type and a message', async () => {
    await expect(rowsOf(engine.client, 'SELECT * FROM nowhere')).rejects.toMatchObject({
      type: 'UNKNOWN_TABLE',
      message: expect.stringContaining('nowhere'),
    });
  });

  it('is returned for a wrong password', async () => {
    const client = clientOf({ ...engine.clickhouse, password: 'wrong' });
    await expect(rowsOf(client, 'SELECT 1')).rejects.toMatchObject({ code: '516' });
    await client.close();
  });

  it('is returned for rows of the wrong shape, and none of them is stored', async () => {
    await command('CREATE TABLE strict (a UInt8) ENGINE = MergeTree ORDER BY a');
    const values = [{ a: 1 }, { a: 'x' }];
    const insert = engine.client.insert({ table: 'strict', values, format: 'JSONEachRow' });
    await expect(insert).rejects.toBeInstanceOf(ClickHouseError);
    expect(await rowsOf(engine.client, 'SELECT count() AS n FROM strict')).toEqual([{ n: 0 }]);
  });

  it('leaves no rows for the statements that follow', async () => {
    const failing = `SELECT number AS secret, throwIf(number = 90000) FROM numbers(100000)
      SETTINGS max_block_size = 1000, max_threads = 1`;
    for (const format of ['JSON', 'JSONEachRow'] as const) {
      const fail = async () => (await engine.client.query({ query: failing, format })).text();
      await everywhere(() => expect(fail()).rejects.toThrow());
    }
    const clean = async () =>
      (await engine.client.query({ query: 'SELECT 1 AS a', format: 'JSON' })).json();
    for (const response of await everywhere(clean))
      expect(response).toMatchObject({ data: [{ a: 1 }] });
    const rows = await everywhere(() => rowsOf(engine.client, 'SELECT 1 AS a'));
    expect(rows.flat()).toEqual(Array.from({ length: 24 }, () => ({ a: 1 })));
  });

  it('after the first rows breaks the connection instead of ending the result', async () => {
    const query = `SELECT number, throwIf(number = 900000) FROM numbers(1000000)
      SETTINGS max_block_size = 1000, max_threads = 1`;
    const result = await engine.client.query({ query, format: 'JSONEachRow' });
    await expect(result.json()).rejects.toThrow();
  });
});

describe('concurrent statements', () => {
  it('do not wait for a slow one, nor does a ping', async () => {
    const gone = new AbortController();
    let hasEnded = false;
    const query = `SELECT sum(sleepEachRow(0.1)) FROM numbers(600)
      SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 600000000`;
    const slow = engine.client
      .command({ query, abort_signal: gone.signal })
      .catch(() => undefined)
      .finally(() => (hasEnded = true));
    await Promise.all(Array.from({ length: 20 }, () => rowsOf(engine.client, 'SELECT 1')));
    await engine.client.ping();
    expect(hasEnded).toBe(false);
    gone.abort();
    await slow;
  });

  it('are cancelled in the engine when their client disconnects', async () => {
    const running = () =>
      rowsOf(engine.client, "SELECT 1 FROM system.processes WHERE query LIKE '%end%less%'");
    for (const format of ['JSON', 'JSONEachRow'] as const) {
      const abort = new AbortController();
      const query = `SELECT sum(sipHash64(number)) AS end_less FROM numbers(1e12)`;
      const clickhouse_settings = {
        readonly: '2',
        cancel_http_readonly_queries_on_client_close: 1,
      } as const;
      const options = { query, format, clickhouse_settings, abort_signal: abort.signal };
      const requested = engine.client.query(options);
      await until(async () => (await running()).length === 2); // this query and the polling query itself
      abort.abort();
      await expect(requested).rejects.toThrow(/abort/);
      await until(async () => (await running()).length === 1);
    }
  });
});
