import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connectStore, raw, sql, type Store } from '@app/clickhouse';
import { readConfig } from '@app/config';
import { freePort } from '@app/embedded';
import {
  cleanUp,
  eventually,
  startNode,
  startStandalone,
  temporaryDirectory,
  type Program,
} from '../support/processes.js';
import { endItem, startItem } from '../support/records.js';
import { storeUncompressed } from '../support/split-server.js';
import { aProject, TestServer } from '../support/test-server.js';

const KEY = 'a-key-of-the-environment';
const TABLES = ['agent_spans', 'call_events', 'calls', 'record_events'];
const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

const dataDir = temporaryDirectory();
const coldDir = join(temporaryDirectory(), 'cold');
let program: Program;
let server: TestServer;
let store: Store;

afterAll(async () => {
  await store?.close();
  await cleanUp();
});

async function start(env: Record<string, string>): Promise<void> {
  const PORT = String(await freePort());
  program = await startStandalone(dataDir, { PORT, HEDDLE_API_KEY: KEY, ...env });
  server = new TestServer(`http://127.0.0.1:${PORT}`, KEY);
  const { clickhouse } = JSON.parse(readFileSync(join(dataDir, 'stores.json'), 'utf8'));
  store = connectStore({ ...readConfig({}).clickhouse, ...clickhouse }, 'test');
}

async function stop(): Promise<void> {
  await store.close();
  await program.stop();
}

async function command(...args: string[]): Promise<string> {
  const cli = startNode(['dist/apps/cli/src/main.js', ...args], { env: { DATA_DIR: dataDir } });
  const { code } = await cli.end(60_000);
  expect({ code, stderr: code === 0 ? '' : cli.stderr }).toEqual({ code: 0, stderr: '' });
  return cli.stdout;
}

const disksOf = async (table: string) =>
  (
    await store.rows<{ disk: string }>(
      sql`SELECT DISTINCT disk_name AS disk FROM system.parts WHERE active AND database = currentDatabase() AND table = ${raw(`'${table}'`)} ORDER BY disk`,
    )
  ).map(({ disk }) => disk);

/** The TTL of each table that has one. */
const ttls = async () =>
  (
    await store.rows<{ ttl: string }>(
      sql`SELECT concat(name, ' ', extract(engine_full, 'TTL (.*?) SETTINGS')) AS ttl FROM system.tables
WHERE database = currentDatabase() AND engine_full LIKE '% TO VOLUME %' ORDER BY name`,
    )
  ).map(({ ttl }) => ttl);

/** The files of the cold volume that contain the text. */
function coldFilesWith(text: string): string[] {
  return readdirSync(coldDir, { recursive: true })
    .map((name) => join(coldDir, String(name)))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(text));
}

const moved = (table: string) =>
  store.client.command({
    query: `ALTER TABLE ${table} MOVE PARTITION ID '${partition()}' TO VOLUME 'cold'`,
  });
const partition = () => new Date().toISOString().slice(0, 7).replace('-', '');

describe('cold storage of a standalone server', () => {
  const [erased, expired, kept, fresh] = Array.from({ length: 4 }, () => ({
    project_id: aProject(),
    id: randomUUID(),
    trace_id: randomUUID(),
    word: randomBytes(60).toString('base64url'),
  })) as [Call, Call, Call, Call];
  type Call = Record<'project_id' | 'id' | 'trace_id' | 'word', string>;
  const read = async ({ project_id, id }: Call) =>
    (await server.post('/call/read', { project_id, id })).call;

  it('moves old parts to the other disk, and reads are the same', async () => {
    await start({ COLD_DIR: coldDir, COLD_AFTER_DAYS: '7' });
    expect(statSync(coldDir).mode & 0o777).toBe(0o700);
    expect(await ttls()).toEqual(
      TABLES.map((table) =>
        expect.stringMatching(`${table} .*toIntervalDay\\(7\\) TO VOLUME 'cold'`),
      ),
    );
    await storeUncompressed(store);
    for (const { word, ...call } of [erased, expired, kept, fresh]) {
      const started_at = ago(call.id === fresh.id ? 0 : 80);
      const item = { ...call, started_at, inputs: { word } };
      const end = { ...call, ended_at: ago(0), output: { word } };
      await server.post('/call/upsert_batch', { batch: [startItem(item), endItem(end)] });
    }
    const before = await Promise.all([erased, expired, kept, fresh].map(read));
    expect(before.map(({ output }) => output.word)).toEqual(
      [erased, expired, kept, fresh].map(({ word }) => word),
    );

    await eventually(
      async () => String(await disksOf('calls')) === 'cold,default',
      30_000,
      () => 'No part of calls has moved',
    );
    // The facts were received today, so they would move in a week.
    expect(await disksOf('call_events')).toEqual(['default']);
    await moved('call_events');
    expect(await disksOf('call_events')).toEqual(['cold']);
    expect(await Promise.all([erased, expired, kept, fresh].map(read))).toEqual(before);
  });

  it('is reached by an erasure and by retention, also on the disk', async () => {
    for (const { word } of [erased, expired, kept]) expect(coldFilesWith(word)).not.toEqual([]);

    await command('erase', '--project', erased.project_id, '--trace', erased.trace_id, '--yes');
    const retention = { project_id: expired.project_id, retention_days: 30 };
    await server.post('/project/ttl_settings/update', retention);
    expect(await command('expire')).toMatch(/^Deleted 1 expired calls/);
    // An expired part is removed by ClickHouse in its own time, within minutes; an erasure waits for that.
    await command('erase', '--project', expired.project_id, '--yes');

    for (const { word } of [erased, expired]) expect(coldFilesWith(word)).toEqual([]);
    expect(coldFilesWith(kept.word)).not.toEqual([]);
    expect(await read(kept)).toMatchObject({ output: { word: kept.word } });
    expect(await disksOf('call_events')).toContain('cold');
    const ledger = JSON.parse(await command('ledger', '--json'));
    expect(JSON.stringify(ledger)).not.toContain('"holds":[false');
  });

  it('follows the settings, and a command without them changes nothing', async () => {
    expect(await command('migrate')).toBe('The tables are up to date.\n');
    expect(await ttls()).toHaveLength(TABLES.length);
    const { findings } = JSON.parse(await command('doctor', '--json'));
    expect(findings).toContainEqual(expect.objectContaining({ check: 'storage', state: 'ok' }));
    await stop();

    await start({ COLD_DIR: coldDir, COLD_AFTER_DAYS: '60' });
    expect(await ttls()).toEqual(TABLES.map(() => expect.stringContaining('toIntervalDay(60)')));
    await stop();

    await start({});
    expect(await ttls()).toEqual([]);
    expect(await read(kept)).toMatchObject({ output: { word: kept.word } });
    await stop();
  });

  it('refuses to start while the disk is missing', async () => {
    renameSync(coldDir, `${coldDir}-elsewhere`);
    const PORT = String(await freePort());
    const env = { DATA_DIR: dataDir, PORT, HEDDLE_API_KEY: KEY };
    const refused = startNode(['dist/apps/standalone/src/main.js'], { env });
    expect((await refused.end(30_000)).code).toBe(1);
    expect(refused.stderr).toContain(`${coldDir} has old data of ClickHouse and is missing`);

    await start({ COLD_DIR: `${coldDir}-elsewhere` });
    expect(await read(kept)).toMatchObject({ output: { word: kept.word } });
  });
});
