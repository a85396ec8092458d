import { setTimeout as pause } from 'node:timers/promises';
import { raw, type Store } from '@app/clickhouse';
import type { QueryExplanation, ReadContext } from '../../apps/query/src/read-context.js';
import { executorOf } from '../support/calls-reader.js';
import { openStore } from '../support/store.js';

let store: Store;
beforeAll(() => void (store = openStore()));
afterAll(() => store.close());

const anExecutor = (env: Record<string, string>) =>
  executorOf(store, { QUERY_ADMIN_FACTOR: '3', ...env });

const readingOf = (role: 'read' | 'admin', gone = new AbortController().signal) =>
  ({
    principal: { user: 'ann', role, scope: '*', keyId: 'k' },
    projectIds: ['acme/demo'],
    signal: gone,
    explanations: undefined,
  }) as unknown as ReadContext;

const rowsRead = (rows: number) =>
  raw(`SELECT count() AS n FROM numbers(${rows}) WHERE number % 7 = 0`);

/** The rows that each running query with `tag` in its text has read so far. */
async function running(tag: string): Promise<number[]> {
  const found = await store.rows<{ rows: number | string }>(
    raw(
      `SELECT read_rows AS rows FROM system.processes WHERE query LIKE '%${tag}%' AND query NOT LIKE '%system.processes%'`,
    ),
  );
  return found.map(({ rows }) => Number(rows));
}

async function untilRunning(tag: string, count: number): Promise<void> {
  while ((await running(tag)).length !== count) await new Promise(setImmediate);
}

describe('a query', () => {
  it('that reads too many rows is refused, and an administrator may read more', async () => {
    const executor = anExecutor({ QUERY_MAX_ROWS: '100000' });

    await expect(executor.rows(rowsRead(250_000), readingOf('read'))).rejects.toMatchObject({
      code: 'query_too_large',
    });
    await expect(executor.rows(rowsRead(250_000), readingOf('admin'))).resolves.toHaveLength(1);
    await expect(executor.rows(rowsRead(350_000), readingOf('admin'))).rejects.toMatchObject({
      code: 'query_too_large',
    });
  });

  it('that needs too much memory is refused', async () => {
    const executor = anExecutor({ QUERY_MAX_MEMORY_BYTES: String(16 * 1024 ** 2) });
    const much = raw('SELECT length(groupArray(randomString(1000))) AS n FROM numbers(100000)');

    await expect(executor.rows(much, readingOf('read'))).rejects.toMatchObject({
      code: 'query_too_large',
    });
  });

  it.each([undefined, [] as QueryExplanation[]])(
    'for texts returns their bytes, reserves memory for each and fails as a whole (explained: %j)',
    async (explanations) => {
      const reading = { ...readingOf('read'), explanations };
      const executor = anExecutor({});
      const texts = raw(`SELECT 'k' AS key, repeat('é', 40000) AS val`);
      const read = async (query: typeof texts, reserve: (bytes: number) => void) => {
        const rows: (readonly Buffer[])[] = [];
        const limits = { maxBytes: 1_000_000, reserve };
        for await (const row of executor.texts(query, ['key', 'val'], reading, limits))
          rows.push(row);
        return rows.map((row) => row.map(String));
      };
      const reserved: number[] = [];

      expect(await read(texts, (bytes) => reserved.push(bytes))).toEqual([
        ['k', 'é'.repeat(40000)],
      ]);
      expect(reserved).toEqual([1, 80_000]);
      await expect(
        read(texts, (bytes) => {
          if (bytes > 1000) throw new Error('no memory');
        }),
      ).rejects.toThrow('no memory');
      const failing = raw(
        `SELECT 'k' AS key, toString(throwIf(number = 90000)) AS val FROM numbers(100000) SETTINGS max_block_size = 1000`,
      );
      await expect(read(failing, () => undefined)).rejects.toThrow();
    },
  );

  it('that takes too long is refused', async () => {
    const executor = anExecutor({ QUERY_MAX_SECONDS: '1' });
    const slow = raw(
      'SELECT sum(sleepEachRow(0.05)) AS n FROM numbers(100) SETTINGS max_block_size = 1',
    );

    await expect(executor.rows(slow, readingOf('read'))).rejects.toMatchObject({
      code: 'query_timeout',
    });
  });

  it('that is streamed for too long fails instead of ending early', async () => {
    const executor = anExecutor({ QUERY_MAX_SECONDS: '1' });
    const table = `long_${Date.now()}`;
    await store.client.command({
      query: `CREATE TABLE ${table} ENGINE = MergeTree ORDER BY n AS
        SELECT number AS n, repeat('x', 1000) AS text FROM numbers(40000)`,
    });
    const readSlowly = async () => {
      const blocks = executor.stream(raw(`SELECT * FROM ${table}`), readingOf('read'));
      await blocks.next();
      await pause(1100);
      for await (const _ of blocks) continue;
    };

    await expect(readSlowly()).rejects.toMatchObject({ code: 'query_timeout' });
    await store.client.command({ query: `DROP TABLE ${table}` });
  });

  it('is not sent to ClickHouse when its client has already disconnected', async () => {
    const endless = raw(
      'SELECT sum(sleepEachRow(0.1)) FROM numbers(100) SETTINGS max_block_size = 1',
    );

    const response = anExecutor({}).rows(endless, readingOf('read', AbortSignal.abort()));

    await expect(response).rejects.toThrow(/abort/i);
  });

  it('is cancelled in ClickHouse when its client disconnects', async () => {
    const executor = anExecutor({});
    const gone = new AbortController();
    const tag = `gone_${Date.now()}`;
    const endless = raw(
      `SELECT sum(sleepEachRow(0.1)) AS ${tag} FROM numbers(600) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 600000000`,
    );
    const response = executor
      .rows(endless, readingOf('read', gone.signal))
      .catch((error: unknown) => error);
    await untilRunning(tag, 1);
    gone.abort();

    await response;
    await untilRunning(tag, 0);
  });

  it('frees its place at once when its client disconnects', async () => {
    const executor = anExecutor({ QUERY_MAX_STATEMENTS: '2' });
    const gone = new AbortController();
    const tag = `place_${Date.now()}`;
    const endless = raw(
      `SELECT sum(sleepEachRow(0.1)) AS ${tag} FROM numbers(600) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 600000000`,
    );
    const left = executor.rows(endless, readingOf('read', gone.signal)).catch(() => 'left');
    await untilRunning(tag, 1);
    const next = executor.rows(raw('SELECT 1 AS n'), readingOf('read'));
    expect(await Promise.race([next, pause(100, 'waits')])).toBe('waits');
    gone.abort();

    expect(await next).toEqual([{ n: 1 }]);
    expect(await left).toBe('left');
  });

  it('has its place until the server has ended it, when its client leaves an expensive one before its first row', async () => {
    const executor = anExecutor({ QUERY_MAX_STATEMENTS: '2' });
    const gone = new AbortController();
    const tag = `planned_${Date.now()}`;
    const expensive = (text: string) => raw(`WITH x -> x AS same ${text}`);
    const endless = `SELECT sum(sleepEachRow(0.1)) AS ${tag} FROM numbers(600) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 600000000`;
    const left = executor.rows(expensive(endless), readingOf('read', gone.signal));
    await untilRunning(tag, 1);
    const next = executor.rows(expensive('SELECT 1 AS n'), readingOf('read'));
    gone.abort();

    await expect(left).rejects.toThrow(/abort/i);
    expect(await next).toEqual([{ n: 1 }]);
    expect(await running(tag)).toEqual([]);
  });

  it('ends early when others wait for its place and it can be continued', async () => {
    const executor = anExecutor({ QUERY_MAX_STATEMENTS: '2' });
    const slowly = raw(
      'SELECT number AS n, sleepEachRow(0.02) AS s FROM numbers(3000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 600000000',
    );
    const all = async (blocks: AsyncGenerator<{ n: string }[], boolean>) => {
      let rows = 0;
      for (;;) {
        const { done, value } = await blocks.next();
        if (done) return { rows, isComplete: value };
        rows += value.length;
      }
    };
    const first = all(executor.resumable(slowly, readingOf('read')));
    const second = all(executor.resumable(raw('SELECT 1 AS n'), readingOf('read')));

    expect(await second).toEqual({ rows: 1, isComplete: true });
    const { rows, isComplete } = await first;
    expect(isComplete).toBe(false);
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(3000);
  });

  it('gets 503 when others have all places for too long', async () => {
    const executor = anExecutor({ QUERY_MAX_STATEMENTS: '2', QUERY_MAX_WAIT_MS: '100' });
    const slow = executor.rows(raw('SELECT sleep(1) AS n'), readingOf('read'));
    const refused = executor.rows(raw('SELECT 1 AS n'), readingOf('read'));

    await expect(refused).rejects.toMatchObject({ code: 'reads_busy', retryAfterSeconds: 2 });
    await slow;
  });

  it('is read from ClickHouse no faster than its client reads', async () => {
    const executor = anExecutor({});
    const tag = `slowly_${Date.now()}`;
    const much = raw(`SELECT repeat('x', 1000) AS ${tag} FROM numbers(50000000)`);

    const blocks = executor.stream(much, readingOf('read'));
    await blocks.next();
    let read: number[] = [];
    for (let i = 0; i < 100; i++) read = await running(tag);

    expect(read).toHaveLength(1);
    expect(read[0]).toBeLessThan(5_000_000);
    await blocks.return();
    await untilRunning(tag, 0);
  });

  it.each([
    ['rows', { QUERY_MAX_STREAM_ROWS: '100000' }, /more than 100000 rows/],
    ['bytes', { QUERY_MAX_STREAM_BYTES: '100000000' }, /more than 100000000 bytes/],
  ])(
    'of many rows ends at the limit of %s over all statements of its response',
    async (_of, settings, message) => {
      const executor = anExecutor(settings);
      const response = readingOf('read');
      const much = raw(`SELECT repeat('x', 1000) AS x FROM numbers(75000)`);
      const read = async (blocks: AsyncGenerator<unknown>) => {
        for await (const _ of blocks) continue;
      };

      await read(executor.resumable(much, response));
      await expect(read(executor.resumable(much, response))).rejects.toThrow(message);
      await read(executor.stream(much, readingOf('read')));
      const ofAdmin = readingOf('admin');
      await read(executor.stream(much, ofAdmin));
      await read(executor.stream(much, ofAdmin));
    },
  );

  it('gets its own result, also right after another client has left a stream unfinished', async () => {
    const executor = anExecutor({});
    const much = raw("SELECT repeat('x', 1000) AS x FROM numbers(50000000)");
    for (let round = 0; round < 5; round++) {
      const blocks = executor.stream(much, readingOf('read'));
      await blocks.next();
      await blocks.return();
      const own = await Promise.all(
        [1, 2, 3].map((n) => executor.rows(raw(`SELECT ${n} AS n`), readingOf('read'))),
      );
      expect(own).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
    }
  });

  it('reports the rows and bytes it has read', async () => {
    const reading = { ...readingOf('read'), explanations: [] as QueryExplanation[] };

    const rows = await anExecutor({}).rows(rowsRead(250_000), reading);

    expect(rows.map((row) => Number((row as { n: number | string }).n))).toEqual([35_715]);
    expect(reading.explanations).toMatchObject([{ rows_read: 250_000, bytes_read: 2_000_000 }]);
    expect(reading.explanations[0]!.indexes.length).toBeGreaterThan(0);
  });

  it('that is refused while it is explained fails with the same error', async () => {
    const reading = { ...readingOf('read'), explanations: [] as QueryExplanation[] };
    const executor = anExecutor({ QUERY_MAX_ROWS: '100000' });

    await expect(executor.rows(rowsRead(250_000), reading)).rejects.toMatchObject({
      code: 'query_too_large',
    });
  });
});
