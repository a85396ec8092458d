import { randomUUID } from 'node:crypto';
import { bind, raw, sql } from '@app/clickhouse';
import { aProject } from '../support/house.js';
import { eventually } from '../support/processes.js';
import { aStart, endItem, startItem } from '../support/records.js';
import { SplitHouse, type Part } from '../support/split-house.js';

let split: SplitHouse;
let ingest: Part;
let query: Part;
let ben: string;

beforeAll(async () => {
  split = await SplitHouse.start();
  [ingest, query] = await Promise.all([
    split.part('ingest'),
    split.part('query', { READ_WAIT_MS: '20000' }),
    split.part('worker'),
  ]);
  const request = { user: 'ben', scope: '*', role: 'admin' };
  ben = (await ingest.house.post('/admin/keys/create', request)).key;
}, 120_000);
afterAll(() => split.stop(), 60_000);

const read = async (project_id: string, id: string) =>
  (await query.house.post('/call/read', { project_id, id })).call;

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await split.cli(...args);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Tables that hold the text anywhere. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await split.store.rows<{ name: string }>(
    sql`SELECT name FROM system.tables WHERE database = currentDatabase() AND name NOT IN ('audit', 'migrations')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await split.store.rows<{ n: number | string }>(
      sql`SELECT countIf(position(toString(tuple(*)), ${bind('String', text)}) > 0) AS n FROM ${raw(name)}`,
    );
    if (Number(row!.n) > 0) found.push(name);
  }
  return found.sort();
}

/** Writes one of everything that carries the word, as ann or as somebody else. */
async function leave(project_id: string, word: string, key = ingest.house.key) {
  const [id, trace_id] = [randomUUID(), randomUUID()];
  const send = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await ingest.house.send(path, body, { key, headers });
    expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    return answer.json();
  };
  await send('/call/upsert_batch', {
    batch: [
      startItem({ project_id, id, trace_id, inputs: { word } }),
      endItem({ project_id, id, output: word }),
      startItem({ project_id, id: randomUUID(), trace_id, inputs: word }),
    ],
  });
  await send('/obj/create', { obj: { project_id, object_id: `o-${word}`, val: { word } } });
  await send('/table/create', { table: { project_id, rows: [{ word }] } });
  const form = [
    `--b\r\ncontent-disposition: form-data; name="project_id"\r\n\r\n${project_id}\r\n`,
    `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${word}\r\n--b--\r\n`,
  ].join('');
  await send('/file/create', form, { 'content-type': 'multipart/form-data; boundary=b' });
  await eventually(() => split.isSettled(project_id), 20_000);
  return { id, trace_id };
}

const EVERYWHERE = [
  ...['call_events', 'calls', 'dead_letters', 'files', 'objects', 'record_events', 'table_rows'],
];

const ledgerHolds = async (project: string) => {
  const [line] = JSON.parse(await done('ledger', '--json', '--project', project)).projects;
  return line.holds as boolean[];
};

describe('cli erase', () => {
  it('takes a whole project away, and nothing of its neighbour', async () => {
    const [doomed, neighbour] = [aProject(), aProject()];
    const [word, other] = [randomUUID(), randomUUID()];
    const { id } = await leave(doomed, word);
    await leave(neighbour, other);
    expect(await tablesWith(word)).toEqual(EVERYWHERE);

    const said = await done('erase', '--project', doomed, '--yes');

    expect(said).toMatch(/1 calls, 13 rows/);
    expect(said).toMatch(/verified by reading/);
    expect(await tablesWith(word)).toEqual([]);
    expect(await tablesWith(other)).toEqual(EVERYWHERE);
    expect(await read(doomed, id)).toBeNull();
    expect(await ledgerHolds(doomed)).toEqual([true, true, true, true]);
    await ingest.house.post('/call/start', { start: aStart({ project_id: doomed, id }) });
    expect(await read(doomed, id)).toBeNull();
  }, 90_000);

  it('takes one trace away, and leaves the others', async () => {
    const project = aProject();
    const [word, other] = [randomUUID(), randomUUID()];
    const { trace_id } = await leave(project, word);
    const { id } = await leave(project, other);

    await done('erase', '--project', project, '--trace', trace_id, '--yes');

    expect(await tablesWith(word)).toEqual(['files', 'objects', 'record_events', 'table_rows']);
    expect(await read(project, id)).toMatchObject({ output: other });
    expect(await ledgerHolds(project)).toEqual([true, true, true, true]);
  }, 90_000);

  it('takes away what one user wrote, wherever, and leaves the rest', async () => {
    const [here, there] = [aProject(), aProject()];
    const [word, other] = [randomUUID(), randomUUID()];
    await leave(here, word, ben);
    await leave(there, word, ben);
    const { id } = await leave(here, other);

    await done('erase', '--user', 'ben', '--yes');

    expect(await tablesWith(word)).toEqual([]);
    expect(await tablesWith('ben')).toEqual([]);
    expect(await read(here, id)).toMatchObject({ output: other });
    expect(await tablesWith(other)).toEqual(EVERYWHERE);
  }, 90_000);

  it('does nothing without a word of consent, or when it is not said what', async () => {
    const wrong = [[], ['--project', 'a/b'], ['--trace', 't', '--yes']];
    const said = await Promise.all(wrong.map((args) => split.cli('erase', ...args)));

    expect(said.map(({ code, stderr }) => [code, /heddle: .+/.test(stderr)])).toEqual(
      wrong.map(() => [1, true]),
    );
  }, 60_000);
});

describe('retention', () => {
  const settings = (path: string, body: object) =>
    (path === 'read' ? query : ingest).house.post(`/project/ttl_settings/${path}`, body);

  it('hides calls that are too old at once, and takes them away with their facts', async () => {
    const project_id = aProject();
    const word = randomUUID();
    const started_at = new Date().toISOString();
    const [old, fresh] = [randomUUID(), randomUUID()];
    const batch = [
      startItem({ project_id, id: old, inputs: { word } }),
      startItem({ project_id, id: fresh, started_at }),
    ];
    await ingest.house.post('/call/upsert_batch', { batch });
    expect(await read(project_id, old)).toMatchObject({ id: old, expire_at: null });
    expect(await settings('read', { project_id })).toEqual({ retention_days: null });

    expect(await settings('update', { project_id, retention_days: 2 })).toEqual({
      retention_days: 2,
    });

    expect(await settings('read', { project_id })).toEqual({ retention_days: 2 });
    await eventually(async () => (await read(project_id, old)) === null, 10_000);
    const kept = await read(project_id, fresh);
    expect(Date.parse(kept.expire_at) - Date.parse(kept.started_at)).toBe(2 * 86_400_000);
    const { count } = await query.house.post('/calls/query_stats', { project_id });
    expect(count).toBe(1);
    expect(await tablesWith(word)).toEqual(['call_events', 'calls']);

    expect(await done('expire')).toMatch(/^1 calls are gone/m);
    expect(await tablesWith(word)).toEqual([]);
    expect(await read(project_id, fresh)).toMatchObject({ id: fresh });
  }, 60_000);

  it('ends when it is set to null', async () => {
    const project_id = aProject();
    await settings('update', { project_id, retention_days: 7 });
    await settings('update', { project_id, retention_days: null });

    expect(await settings('read', { project_id })).toEqual({ retention_days: null });
  });
});

describe('the audit log', () => {
  it('says who deleted, set, gave and erased what', async () => {
    const project_id = aProject();
    const call_ids = [randomUUID()];
    await ingest.house.post('/calls/delete', { project_id, call_ids });
    await ingest.house.post('/project/ttl_settings/update', { project_id, retention_days: 9 });
    const { id } = await ingest.house.post('/admin/keys/create', {
      user: 'x',
      scope: project_id,
      role: 'read',
    });
    await ingest.house.post('/admin/keys/revoke', { id });
    await done('erase', '--project', project_id, '--yes');

    const entries = await eventually(async () => {
      const answer = await query.house.post('/admin/audit/query', { scope: project_id });
      return answer.entries.length === 5 && answer.entries;
    }, 10_000);
    expect(entries.map(({ action, user }: Record<string, string>) => [action, user])).toEqual([
      ['erase', expect.stringMatching(/^cli:/)],
      ['keys.revoke', 'ann'],
      ['keys.create', 'ann'],
      ['retention.set', 'ann'],
      ['calls.delete', 'ann'],
    ]);
    expect(entries[4].detail).toEqual({ asked: call_ids, deleted: 0 });
    const lines = (await done('audit', '--scope', project_id, '--action', 'keys.'))
      .trim()
      .split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/ann {2}keys\.revoke/);
  }, 60_000);
});
