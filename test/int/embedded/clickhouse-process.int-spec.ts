import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startClickHouse } from '@app/embedded';
import {
  clientOf,
  SERVER_ENTRY,
  isAlive,
  listeningLogger,
  newDirectory,
  residentMegabytes,
  rowsOf,
  startEngine,
  until,
} from './engine.js';
import type { TestEngine } from './engine.js';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.close());

const hostPid = () => engine.clickhouse.pid() ?? 0;

describe('the process of the engine', () => {
  it('removes payloads that an earlier version has left on the disk', async () => {
    const directory = await newDirectory();
    const spool = join(directory, 'spool');
    await mkdir(spool);
    await writeFile(join(spool, 'rows'), 'a payload');

    const started = startClickHouse({ directory, logger: listeningLogger(), binary: '/bin/false' });
    await expect(started).rejects.toThrow();

    expect(existsSync(spool)).toBe(false);
    await rm(directory, { recursive: true });
  });

  it('streams two million rows in the memory of a few blocks', async () => {
    const query = `SELECT number, repeat('x', 200) AS text FROM numbers({n:UInt64})`;
    const stream = async (n: number) => {
      const result = await engine.client.query({
        query,
        query_params: { n },
        format: 'JSONEachRow',
      });
      let rows = 0;
      let peak = 0;
      for await (const some of result.stream()) {
        rows += some.length;
        peak = Math.max(peak, residentMegabytes(hostPid()));
      }
      return { rows, peak };
    };
    const warm = await stream(200_000);
    const { rows, peak } = await stream(2_000_000);
    expect(rows).toBe(2_000_000);
    expect(peak - warm.peak).toBeLessThan(120); // the result itself is 500 MB
  });

  it('stops sending when the client does not read', async () => {
    const query = `SELECT number, repeat('x', 1000) AS text FROM numbers(1000000)`;
    const before = residentMegabytes(hostPid());
    const result = await engine.client.query({ query, format: 'JSONEachRow' });
    const stream = result.stream();
    await once(stream, 'readable');
    await Promise.all(Array.from({ length: 100 }, () => rowsOf(engine.client, 'SELECT 1')));
    expect(residentMegabytes(hostPid()) - before).toBeLessThan(300); // of 1,000 MB
    result.close();
  });

  it('merges the parts of small inserts by itself', async () => {
    await engine.client.command({
      query: 'CREATE TABLE merged (a UInt64) ENGINE = MergeTree ORDER BY a',
    });
    for (let a = 0; a < 30; a++) {
      await engine.client.insert({ table: 'merged', values: [{ a }], format: 'JSONEachRow' });
    }
    const query = `SELECT count() AS n FROM system.parts WHERE table = 'merged' AND active`;
    await until(async () => Number((await rowsOf<{ n: number }>(engine.client, query))[0]?.n) < 15);
    expect(await rowsOf(engine.client, 'SELECT count() AS n FROM merged')).toEqual([{ n: 30 }]);
  });

  it('refuses a second engine on its directory', async () => {
    const path = join(engine.directory, 'engine-data');
    const second = spawn(
      process.execPath,
      [SERVER_ENTRY, '--config=none.xml', `--path=${path}`, '--http-port=1'],
      {
        stdio: ['pipe', 'ignore', 'pipe'],
      },
    );
    const [output, [code]] = await Promise.all([text(second.stderr), once(second, 'exit')]);
    expect(code).toBe(1);
    expect(output).toBe(
      `Another Heddle (pid ${hostPid()}) is using ${path}; stop it or set DATA_DIR to another directory.\n`,
    );
  });

  it('loses nothing acknowledged when it is killed, and restarts on the same address', async () => {
    await engine.client.command({
      query: 'CREATE TABLE kept (a UInt64) ENGINE = MergeTree ORDER BY a',
    });
    const acknowledged: number[] = [];
    const client = clientOf(engine.clickhouse, { max_open_connections: 8 });
    const insert = async (a: number) => {
      await client.insert({ table: 'kept', values: [{ a }], format: 'JSONEachRow' });
      acknowledged.push(a);
    };
    const write = async (writer: number) => {
      for (let i = 0; i < 150; i++) await insert(writer * 1_000 + i);
    };
    const writers = Promise.allSettled([write(1), write(2), write(3)]);

    const killed = hostPid();
    await until(() => acknowledged.length > 30);
    process.kill(killed, 'SIGKILL');
    await writers;
    await until(async () => (await client.ping()).success);

    expect(hostPid()).not.toBe(killed);
    const kept = await rowsOf<{ a: number }>(client, 'SELECT a FROM kept');
    expect(kept.map(({ a }) => a)).toEqual(expect.arrayContaining(acknowledged));
    await client.close();
  });

  it('starts again without the tables of a rebuild that a full disk has left without a definition', async () => {
    const table = 'kept_rebuild_0123abcd';
    const create = `CREATE TABLE ${table} (a UInt64) ENGINE = MergeTree ORDER BY a`;
    await engine.client.command({ query: create });
    const store = join(engine.directory, 'engine-data', 'store');
    const files = await readdir(store, { recursive: true });
    await truncate(
      join(
        store,
        files.find((file) => file.endsWith(`/${table}.sql`))!,
      ),
    );

    const killed = hostPid();
    process.kill(killed, 'SIGKILL');
    await until(async () => hostPid() !== killed && (await engine.client.ping()).success);
    expect(await rowsOf(engine.client, `EXISTS ${table}`)).toEqual([{ result: 0 }]);
    await engine.client.command({ query: create });
  });

  it('starts again with all rows of a table that a full disk has left without a definition', async () => {
    const { client, directory } = engine;
    await client.command({
      query: 'CREATE TABLE defined (a UInt64) ENGINE = MergeTree ORDER BY a',
    });
    await client.insert({ table: 'defined', values: [{ a: 1 }], format: 'JSONEachRow' });
    await until(() => existsSync(join(directory, 'definitions', 'default.defined.sql')));
    const definition = join(directory, 'engine-data', 'metadata', 'default', 'defined.sql');
    await truncate(definition);

    const killed = hostPid();
    process.kill(killed, 'SIGKILL');
    await until(async () => hostPid() !== killed && (await client.ping()).success);

    expect(await rowsOf(client, 'SELECT a FROM defined')).toEqual([{ a: 1 }]);
    await client.command({ query: 'ALTER TABLE defined ADD COLUMN b UInt64' });
  });

  it('starts again when a full disk has left a mutation empty, and does not undo it', async () => {
    const { client } = engine;
    await client.command({ query: 'CREATE TABLE erased (a UInt64) ENGINE = MergeTree ORDER BY a' });
    await client.insert({ table: 'erased', values: [{ a: 1 }, { a: 2 }], format: 'JSONEachRow' });
    const erase = (a: number) =>
      client.command({
        query: `ALTER TABLE erased DELETE WHERE a = ${a}`,
        clickhouse_settings: { mutations_sync: '2' },
      });
    await erase(1);
    const [{ path } = { path: '' }] = await rowsOf<{ path: string }>(
      client,
      "SELECT data_paths[1] AS path FROM system.tables WHERE name = 'erased'",
    );
    const [mutation] = (await readdir(path)).filter((file) => file.startsWith('mutation_'));
    await truncate(join(path, mutation!));

    const killed = hostPid();
    process.kill(killed, 'SIGKILL');
    await until(async () => hostPid() !== killed && (await client.ping()).success);
    expect(await rowsOf(client, 'SELECT a FROM erased')).toEqual([{ a: 2 }]);
    await erase(2);
    expect(await rowsOf(client, 'SELECT a FROM erased')).toEqual([]);
  });

  it('starts again with all rows when a full disk has left files of a merge empty', async () => {
    const { client } = engine;
    await client.command({
      query: 'CREATE TABLE replaced (a UInt64) ENGINE = MergeTree ORDER BY a',
    });
    for (const a of [1, 2])
      await client.insert({ table: 'replaced', values: [{ a }], format: 'JSONEachRow' });
    await client.command({ query: 'OPTIMIZE TABLE replaced FINAL' });
    // Longer than ClickHouse waits between two removals of old parts.
    await sleep(5000);
    const [{ path } = { path: '' }] = await rowsOf<{ path: string }>(
      client,
      "SELECT path FROM system.parts WHERE table = 'replaced' AND active",
    );
    await truncate(join(path, 'columns.txt'));

    const killed = hostPid();
    process.kill(killed, 'SIGKILL');
    await until(async () => hostPid() !== killed && (await client.ping()).success);
    expect(await rowsOf(client, 'SELECT a FROM replaced ORDER BY a')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('finishes running statements before it stops', async () => {
    const other = await startEngine();
    const slow = rowsOf(other.client, 'SELECT sleep(1) AS s');
    await until(async () =>
      (await rowsOf(other.client, 'SELECT query FROM system.processes')).some(({ query }) =>
        String(query).includes('sleep(1)'),
      ),
    );
    const pid = other.clickhouse.pid() ?? 0;
    await other.clickhouse.stop();
    expect(await slow).toEqual([{ s: 0 }]);
    expect(isAlive(pid)).toBe(false);
    await other.close();
  });
});
