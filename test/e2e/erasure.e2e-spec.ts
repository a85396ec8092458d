import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import S3rver from 's3rver';
import { bind, raw, sql } from '@app/clickhouse';
import { aProject } from '../support/test-server.js';
import { eventually, temporaryDirectory } from '../support/processes.js';
import { aSpan, aStart, endItem, spanAttributes, startItem } from '../support/records.js';
import { SplitServer, type Part } from '../support/split-server.js';

let split: SplitServer;
let ingest: Part;
let query: Part;
let ben: string;

beforeAll(async () => {
  split = await SplitServer.start({ ownClickHouse: true });
  [ingest, query] = await Promise.all([
    split.part('ingest'),
    split.part('query', { READ_WAIT_MS: '20000' }),
    split.part('worker'),
  ]);
  const request = { user: 'ben', scope: '*', role: 'admin' };
  ben = (await ingest.server.post('/admin/keys/create', request)).key;
});
afterAll(() => split.stop());

const read = async (project_id: string, id: string) =>
  (await query.server.post('/call/read', { project_id, id })).call;

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await split.cli(...args);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The tables that contain the text in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await split.tables()) {
    if (name === 'audit') continue;
    const [row] = await split.store.rows<{ n: number | string }>(
      sql`SELECT countIf(position(toString(tuple(*)), ${bind('String', text)}) > 0) AS n FROM ${raw(name)}`,
    );
    if (Number(row!.n) > 0) found.push(name);
  }
  return found.sort();
}

const fileForm = (project_id: string, text: string): [string, Record<string, string>] => [
  [
    `--b\r\ncontent-disposition: form-data; name="project_id"\r\n\r\n${project_id}\r\n`,
    `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${text}\r\n--b--\r\n`,
  ].join(''),
  { 'content-type': 'multipart/form-data; boundary=b' },
];

/** Spans of an agent that contain the word. */
const spansWith = (word: string, traceId: string) => ({
  resourceSpans: [
    { scopeSpans: [{ spans: [aSpan({ traceId, attributes: spanAttributes({ word }) })] }] },
  ],
});

/** Writes a call, a span, an object with tag and alias, a table and a file that contain the word, as ann unless another key is given. */
async function writeAll(project_id: string, word: string, key = ingest.server.key, label = word) {
  const [id, trace_id] = [randomUUID(), randomUUID().replaceAll('-', '')];
  const request = async (path: string, body: unknown, options: object) => {
    const response = await ingest.server.send(path, body, { key, ...options });
    expect({ path, status: response.status, text: response.text }).toMatchObject({ status: 200 });
    return response.json();
  };
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    request(path, body, { headers });
  const put = (path: string, body: unknown) => request(path, body, { method: 'PUT' });
  await send('/call/upsert_batch', {
    batch: [
      startItem({ project_id, id, trace_id, inputs: { word } }),
      endItem({ project_id, id, output: word, summary: { usage: { 'a-model': { requests: 1 } } } }),
      startItem({ project_id, id: randomUUID(), trace_id, inputs: word }),
    ],
  });
  await send('/agents/otel/v1/traces', spansWith(word, trace_id), {
    project_id,
    'content-type': 'application/json',
  });
  const object_id = `o-${label}`;
  const { digest } = await send('/obj/create', { obj: { project_id, object_id, val: { word } } });
  await put(`/objs/${object_id}/versions/${digest}/tags`, { project_id, tags: [label] });
  await put(`/objs/${object_id}/aliases`, { project_id, digest, aliases: [label] });
  await send('/table/create', { table: { project_id, rows: [{ word }] } });
  await send('/file/create', ...fileForm(project_id, word));
  await eventually(() => split.isSettled(project_id), 20_000);
  return { id, trace_id };
}

/** As writeAll, and feedback, a reason and an item without a project; for a trace, only what belongs to the trace. */
async function writeEverywhere(project_id: string, word: string, kind: string) {
  const key = kind === 'user' ? ben : ingest.server.key;
  const [id, trace_id] = [randomUUID(), randomUUID()];
  const named = {
    user: {},
    trace: { trace_id },
    project: { ref: `weave:///${project_id}/call/x` },
  };
  const attributes = { word };
  const send = async (path: string, body: unknown) =>
    expect((await ingest.server.send(path, body, { key })).status).toBe(200);
  // The audit log, which stays, has the names of objects, tags and aliases.
  if (kind !== 'trace') await writeAll(project_id, word, key, 'label');
  await send('/call/upsert_batch', {
    batch: [
      startItem({ project_id, id, trace_id, inputs: { word }, attributes }),
      endItem({ project_id, id, output: word }),
      startItem({ project_id, trace_id, inputs: word }),
      startItem({
        project_id: 'no project',
        trace_id: 7,
        inputs: { word, ...named[kind as 'user'] },
      }),
    ],
  });
  const weave_ref = `weave:///${project_id}/call/${id}`;
  const payload = { word };
  await send('/feedback/create', { project_id, weave_ref, feedback_type: 'custom', payload });
  for (const one of [project_id, '']) await eventually(() => split.isSettled(one), 20_000);
  return { id, trace_id };
}

/** The files under a directory that contain the text. */
function filesUnder(directory: string, text: string): string[] {
  const entries = unlessRemoved(() => readdirSync(directory, { withFileTypes: true }));
  return (entries ?? []).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesUnder(path, text);
    const bytes = entry.isFile() && unlessRemoved(() => readFileSync(path));
    return bytes && bytes.includes(text) ? [path] : [];
  });
}

/** The files of Redis and of ClickHouse, on a cluster those of every node, that contain the text. */
const filesWith = (text: string) => {
  const { redis, clickhouse } = split.directories;
  const found = (directories: readonly string[]) =>
    directories.flatMap((directory) => filesUnder(directory, text));
  return { redis: found(redis), clickhouse: found(clickhouse) };
};

/** Undefined when ClickHouse or Redis has removed the file or directory in the meantime. */
function unlessRemoved<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const EVERYWHERE = [
  'agent_spans',
  ...['call_events', 'calls', 'dead_letters', 'files', 'object_aliases', 'object_tags', 'objects'],
  ...['record_events', 'table_rows'],
];

const ledgerHolds = async (project: string) => {
  const [line] = JSON.parse(await done('ledger', '--json', '--project', project)).projects;
  return line.holds as boolean[];
};

describe('cli erase', () => {
  it('erases a whole project, and nothing of another project', async () => {
    const [erased, kept] = [aProject(), aProject()];
    const [word, other] = [randomUUID(), randomUUID()];
    const { id } = await writeAll(erased, word);
    await writeAll(kept, other);
    for (const project_id of [erased, kept])
      await ingest.server.post('/alerts/create', { project_id, name: 'a', kind: 'no_data' });
    expect(await tablesWith(word)).toEqual(EVERYWHERE);

    const output = await done('erase', '--project', erased, '--yes');

    expect(output).toMatch(/1 calls, (1[3-9]|2\d) rows/);
    expect(output).toMatch(/found nothing left/);
    expect(await tablesWith(word)).toEqual([]);
    // What stays: that a call was deleted, and how many facts there were. A new table must not appear here.
    const stays = ['call_events', 'calls', 'receipts', 'removed_facts'];
    expect(await tablesWith(erased)).toEqual(stays);
    expect(await tablesWith(other)).toEqual(EVERYWHERE);
    expect(await read(erased, id)).toBeNull();
    const rulesOf = async (project_id: string) =>
      (await ingest.server.post('/alerts/query', { project_id })).alerts.length;
    expect([await rulesOf(erased), await rulesOf(kept)]).toEqual([0, 1]);
    expect(await ledgerHolds(erased)).toEqual([true, true, true, true, true]);
    await ingest.server.post('/call/start', { start: aStart({ project_id: erased, id }) });
    expect(await read(erased, id)).toBeNull();
  });

  it('erases one trace, and keeps the others', async () => {
    const project = aProject();
    const [word, other] = [randomUUID(), randomUUID()];
    const { trace_id } = await writeAll(project, word);
    const { id } = await writeAll(project, other);

    await done('erase', '--project', project, '--trace', trace_id, '--yes');

    expect(await tablesWith(word)).toEqual([
      ...['files', 'object_aliases', 'object_tags', 'objects', 'record_events', 'table_rows'],
    ]);
    expect(await read(project, id)).toMatchObject({ output: other });
    expect(await ledgerHolds(project)).toEqual([true, true, true, true, true]);
  });

  it('erases what one user wrote in all projects, and keeps the rest', async () => {
    const [here, there] = [aProject(), aProject()];
    const [word, other] = [randomUUID(), randomUUID()];
    await writeAll(here, word, ben);
    await writeAll(there, word, ben);
    const { id } = await writeAll(here, other);

    await done('erase', '--user', 'ben', '--yes');

    expect(await tablesWith(word)).toEqual([]);
    expect(await tablesWith('ben')).toEqual([]);
    expect(await read(here, id)).toMatchObject({ output: other });
    expect(await tablesWith(other)).toEqual(EVERYWHERE);
  });

  it('erases a project and what a user wrote in another by HTTP, with a report and audit entries', async () => {
    const [erased, shared] = [aProject(), aProject()];
    const [word, bens, other] = [randomUUID(), randomUUID(), randomUUID()];
    await writeAll(erased, word);
    await writeAll(shared, bens, ben);
    const { id } = await writeAll(shared, other);
    const request = (body: object) => ingest.server.post('/admin/erasures', body);
    const requested = [
      await request({ project_id: erased, confirm: erased }),
      await request({ project_id: shared, user: 'ben', confirm: 'ben' }),
    ];

    const reports = await eventually(async () => {
      const { erasures } = await ingest.server.post('/admin/erasures/query', {});
      const found = requested.map((one) => erasures.find((report: any) => report.id === one.id));
      return found.every(({ state }) => state === 'done') && found;
    }, 120_000);

    expect(reports).toMatchObject([
      { project_id: erased, user: null, requested_by: 'ann', calls: 1, error: null },
      { project_id: shared, user: 'ben', requested_by: 'ann', calls: 1, error: null },
    ]);
    for (const { rows, not_reached } of reports) {
      expect(rows.call_events).toBeGreaterThan(0);
      expect(not_reached.join()).toMatch(/Backups of Redis, ClickHouse/);
    }
    expect([await tablesWith(word), await tablesWith(bens)]).toEqual([[], []]);
    expect(await read(shared, id)).toMatchObject({ output: other });
    const audited = async (scope: string) => {
      const body = { scope, action: 'erase' };
      const { entries } = await query.server.post('/admin/audit/query', body);
      return entries.map(({ action, user, detail }: any) => [action, user, detail?.state]);
    };
    for (const project of [erased, shared])
      await eventually(async () => (await audited(project)).length === 2, 20_000);
    expect([await audited(erased), await audited(shared)]).toEqual(
      Array.from({ length: 2 }, () => [
        ['erase.end', 'ann', 'done'],
        ['erase', 'ann', undefined],
      ]),
    );
    expect(await ledgerHolds(erased)).toEqual([true, true, true, true, true]);
  });

  it('erases files in a bucket, for a user only their own, and none when no bucket is configured', async () => {
    const directory = temporaryDirectory();
    const configureBuckets = [{ name: 'files' }];
    const s3 = new S3rver({ port: 0, silent: true, directory, configureBuckets });
    const { port } = await s3.run();
    const bucket = {
      FILES_S3_BUCKET: 'files',
      FILES_S3_URL: `http://127.0.0.1:${port}`,
      FILES_S3_KEY_ID: 'S3RVER',
      FILES_S3_SECRET: 'S3RVER',
    };
    const { server } = await split.part('ingest', bucket);
    const [doomed, neighbour] = [aProject(), aProject()];
    const upload = async (project: string, text: string, key = server.key) => {
      const [body, headers] = fileForm(project, text);
      const response = await server.send('/file/create', body, { key, headers });
      return response.json<{ digest: string }>().digest;
    };
    const [shared, bens] = [randomUUID(), randomUUID()];
    const kept = [await upload(doomed, shared), await upload(neighbour, shared)];
    await upload(doomed, shared, ben);
    const own = await upload(doomed, bens, ben);
    await eventually(() => split.isSettled(doomed), 20_000);
    const inBucket = () => {
      const names = readdirSync(directory, { recursive: true }).map(String);
      const of = (project: string) => (name: string) => name.includes(project.split('/')[1]!);
      return [doomed, neighbour].map((project) =>
        [...kept, own].filter((digest) => names.filter(of(project)).join().includes(digest)),
      );
    };
    expect(inBucket()).toEqual([[kept[0], kept[1], own], kept]);

    const refused = await split.cli('erase', '--project', doomed, '--yes');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/FILES_S3_BUCKET/)]);
    expect(inBucket()).toEqual([[kept[0], kept[1], own], kept]);

    const erase = (...args: string[]) => split.cliWith(bucket, 'erase', ...args, '--yes');
    const ofUser = await erase('--user', 'ben', '--project', doomed);
    expect([ofUser.code, ofUser.stdout]).toEqual([0, expect.stringMatching(/, 1 files in the/)]);
    expect(inBucket()).toEqual([kept, kept]);
    const whole = await erase('--project', doomed);
    expect([whole.code, whole.stdout]).toEqual([0, expect.stringMatching(/, 1 files in the/)]);
    expect(inBucket()).toEqual([[], kept]);
    await s3.close();
  });

  it('leaves nothing in any file of Redis and ClickHouse', async () => {
    await split.storeUncompressed();
    const targets = [];
    for (const kind of ['project', 'trace', 'user'] as const) {
      const project = aProject();
      const word = `marker-${randomUUID()}`;
      const { trace_id } = await writeEverywhere(project, word, kind);
      const args = {
        project: ['--project', project],
        trace: ['--project', project, '--trace', trace_id],
        user: ['--user', 'ben'],
      };
      targets.push({ word, args: args[kind] });
    }
    for (const { word } of targets)
      expect(Object.values(filesWith(word)).map(({ length }) => length > 0)).toEqual([true, true]);
    for (const { word, args } of targets) {
      const output = await done('erase', ...args, '--yes');

      expect(output).toMatch(/cannot be reached from here:\n {2}- Backups of Redis, ClickHouse/);
      // Redis deletes the file that it has replaced in the background.
      await eventually(
        () => Object.values(filesWith(word)).flat().length === 0,
        5000,
        () => `It is left in ${JSON.stringify(filesWith(word))}`,
      );
    }
  });

  it('does nothing without --yes, or without a project, trace or user', async () => {
    const wrong = [[], ['--project', 'a/b'], ['--trace', 't', '--yes']];
    const results = await Promise.all(wrong.map((args) => split.cli('erase', ...args)));

    expect(results.map(({ code, stderr }) => [code, /heddle: .+/.test(stderr)])).toEqual(
      wrong.map(() => [1, true]),
    );
  });
});

describe('retention', () => {
  const settings = (path: string, body: object) =>
    (path === 'read' ? query : ingest).server.post(`/project/ttl_settings/${path}`, body);

  it('hides expired calls at once, and deletes them with their facts later', async () => {
    const project_id = aProject();
    const word = randomUUID();
    const started_at = new Date().toISOString();
    const [old, fresh] = [randomUUID(), randomUUID()];
    const turn = (id: string) => ({
      project_id,
      id,
      trace_id: 't',
      thread_id: 'talk',
      turn_id: id,
    });
    const batch = [
      startItem({ ...turn(old), inputs: { word } }),
      endItem({ project_id, id: old, summary: { usage: { 'a-model': { requests: 1 } } } }),
      startItem({ ...turn(fresh), started_at }),
    ];
    await ingest.server.post('/call/upsert_batch', { batch });
    const headers = { project_id };
    const spans = spansWith(word, 'a'.repeat(32));
    const sent = await ingest.server.send('/agents/otel/v1/traces', spans, { headers });
    expect(sent.status).toBe(200);
    const turns = async () => {
      const { text } = await query.server.send('/threads/stream_query', { project_id });
      return (JSON.parse(text) as { turn_count: number }).turn_count;
    };
    const bytes = async () =>
      (await query.server.post('/project/stats', { project_id }))
        .trace_storage_size_bytes as number;
    expect(await turns()).toBe(2);
    const before = await bytes();
    expect(await read(project_id, old)).toMatchObject({ id: old, expire_at: null });
    expect(await settings('read', { project_id })).toEqual({ retention_days: null });

    expect(await settings('update', { project_id, retention_days: 2 })).toEqual({
      retention_days: 2,
    });

    expect(await settings('read', { project_id })).toEqual({ retention_days: 2 });
    await eventually(async () => (await read(project_id, old)) === null, 10_000);
    const kept = await read(project_id, fresh);
    expect(Date.parse(kept.expire_at) - Date.parse(kept.started_at)).toBe(2 * 86_400_000);
    const { count } = await query.server.post('/calls/query_stats', { project_id });
    expect(count).toBe(1);
    const expiring = async (by: '$eq' | '$gt', time: string | null) => {
      const $expr = { [by]: [{ $getField: 'expire_at' }, { $literal: time }] };
      const sort_by = [{ field: 'expire_at', direction: 'desc' }];
      const found = await query.server.post('/calls/query', {
        project_id,
        query: { $expr },
        sort_by,
      });
      return found.calls.map(({ id }: { id: string }) => id);
    };
    expect(await expiring('$eq', kept.expire_at)).toEqual([fresh]);
    expect(await expiring('$gt', kept.started_at)).toEqual([fresh]);
    expect(await expiring('$gt', kept.expire_at)).toEqual([]);
    expect(await expiring('$eq', null)).toEqual([]);
    expect(await turns()).toBe(1);
    const { calls } = await query.server.post('/calls/query', {
      project_id,
      include_storage_size: true,
      include_total_storage_size: true,
    });
    expect(calls[0].total_storage_size_bytes).toBe(calls[0].storage_size_bytes);
    expect(await bytes()).toBeLessThan(before);
    expect(await bytes()).toBeGreaterThan(0);
    const { total_count } = await query.server.post('/agents/spans/query', { project_id });
    expect(total_count).toBe(0);
    expect(await tablesWith(word)).toEqual([
      'agent_spans',
      'call_events',
      'calls',
      'record_events',
    ]);

    const preview = JSON.parse(await done('expire', '--dry-run', '--json'));
    expect(preview.projects).toContainEqual({
      project: project_id,
      days: 2,
      calls: 1,
      feedback_days: null,
      feedback: 0,
    });
    expect(await done('expire')).toMatch(/^Deleted 1 expired calls and 0 feedback/m);
    expect(await tablesWith(word)).toEqual([]);
    expect(await tablesWith(old)).toEqual([]);
    expect(await read(project_id, fresh)).toMatchObject({ id: fresh });
    expect(await ledgerHolds(project_id)).toEqual([true, true, true, true, true]);
  });

  it('deletes feedback with its call, and by a retention of its own', async () => {
    const project_id = aProject();
    const words = {
      old: randomUUID(),
      fresh: randomUUID(),
      orphan: randomUUID(),
      object: randomUUID(),
    };
    const started_at = new Date().toISOString();
    await ingest.server.post('/call/upsert_batch', {
      batch: [
        startItem({ project_id, id: words.old }),
        startItem({ project_id, id: words.fresh, started_at }),
      ],
    });
    const give = async (path: string, note: string) => {
      const weave_ref = `weave:///${project_id}/${path}`;
      const payload = { note };
      const feedback = { project_id, weave_ref, feedback_type: 'custom', payload };
      return (await ingest.server.post('/feedback/create', feedback)).id as string;
    };
    const notes = Object.fromEntries(Object.keys(words).map((name) => [name, randomUUID()]));
    for (const name of ['old', 'fresh', 'orphan'] as const)
      await give(`call/${words[name]}`, notes[name]!);
    await give(`object/thing:${'a'.repeat(43)}`, notes['object']!);
    const settled = () => split.isSettled(project_id);
    await eventually(settled, 20_000);
    /** Feedback with this note was given three days ago. */
    const age = async (note: string) => {
      const where = `project_id = '${project_id}' AND position(payload, '${note}') > 0`;
      await split.store.client.command({
        query: `INSERT INTO feedback SELECT * REPLACE (created_at - INTERVAL 3 DAY AS created_at, version + 1 AS version)
          FROM feedback WHERE ${where}`,
      });
      await split.damage('feedback', `${where} AND created_at > now() - INTERVAL 1 DAY`);
    };
    const left = async () => {
      const found: string[] = [];
      for (const [name, note] of Object.entries(notes))
        if ((await tablesWith(note)).length > 0) found.push(name);
      return found.sort();
    };
    const preview = async () => {
      const { projects } = JSON.parse(await done('expire', '--dry-run', '--json'));
      return projects.find(({ project }: { project: string }) => project === project_id);
    };
    for (const name of ['orphan', 'object']) await age(notes[name]!);

    await settings('update', { project_id, retention_days: 2 });
    expect(await preview()).toMatchObject({ calls: 1, feedback_days: null, feedback: 2 });
    expect(await done('expire')).toMatch(/and 2 feedback\.$/m);
    expect(await left()).toEqual(['fresh', 'object']);

    const feedback_retention_days = 2;
    const both = { retention_days: 2, feedback_retention_days };
    expect(await settings('update', { project_id, ...both })).toEqual(both);
    expect(await settings('read', { project_id })).toEqual(both);
    expect(await preview()).toMatchObject({ calls: 0, feedback_days: 2, feedback: 1 });
    await done('expire');
    expect(await left()).toEqual(['fresh']);
    expect(await done('rebuild', '--records')).toBeTruthy();
    expect(await left()).toEqual(['fresh']);
    expect(await ledgerHolds(project_id)).toEqual([true, true, true, true, true]);
  });

  it('deletes a call without a start by the time its facts were received', async () => {
    const project_id = aProject();
    const [late, recent] = [randomUUID(), randomUUID()];
    for (const word of [late, recent]) {
      const batch = [endItem({ project_id, id: word, output: word })];
      await ingest.server.post('/call/upsert_batch', { batch });
    }
    await settings('update', { project_id, retention_days: 2 });
    await eventually(() => split.isSettled(project_id), 20_000);
    // Changes the time of receipt to three days ago; only the partition key contains it.
    await split.store.client.command({
      query: `INSERT INTO call_events SELECT * REPLACE (received_at - INTERVAL 3 DAY AS received_at, priority + 1 AS priority)
        FROM call_events WHERE project_id = '${project_id}' AND call_id = '${late}'`,
    });
    await split.damage(
      'call_events',
      `project_id = '${project_id}' AND call_id = '${late}' AND received_at > now() - INTERVAL 1 DAY`,
    );
    expect(await tablesWith(late)).toEqual(['call_events']);

    await done('expire');

    expect(await tablesWith(late)).toEqual([]);
    expect(await tablesWith(recent)).toEqual(['call_events']);
  });

  it('ends when it is set to null', async () => {
    const project_id = aProject();
    await settings('update', { project_id, retention_days: 7 });
    await settings('update', { project_id, retention_days: null });

    expect(await settings('read', { project_id })).toEqual({ retention_days: null });
  });
});

describe('the audit log', () => {
  /** Adds and removes a tag and an alias, and replaces feedback. Resolves with the id of the feedback. */
  async function changeAgain(project_id: string): Promise<string> {
    const post = (path: string, body: object) => ingest.server.post(path, body);
    const obj = { project_id, object_id: 'named', val: {} };
    const { digest } = await post('/obj/create', { obj });
    const put = (path: string, body: object) => ingest.server.send(path, body, { method: 'PUT' });
    const tags = { project_id, tags: ['good'] };
    await put(`/objs/named/versions/${digest}/tags`, tags);
    await post(`/objs/named/versions/${digest}/tags/remove`, tags);
    await put('/objs/named/aliases', { project_id, digest, aliases: ['best'] });
    await post('/objs/named/aliases/remove', { project_id, aliases: ['best'] });
    const weave_ref = `weave:///${project_id}/object/named:${digest}`;
    const feedback = { project_id, weave_ref, feedback_type: 'custom', payload: {} };
    const { id } = await post('/feedback/create', feedback);
    await post('/feedback/replace', { ...feedback, feedback_id: id });
    return id;
  }

  it('records who changed, deleted and erased what', async () => {
    const project_id = aProject();
    const call_ids = [randomUUID()];
    await ingest.server.post('/calls/delete', { project_id, call_ids });
    await ingest.server.post('/project/ttl_settings/update', { project_id, retention_days: 9 });
    const { id } = await ingest.server.post('/admin/keys/create', {
      user: 'x',
      scope: project_id,
      role: 'read',
    });
    await ingest.server.post('/admin/keys/revoke', { id });
    const feedback_id = await changeAgain(project_id);
    await done('erase', '--project', project_id, '--yes');

    const entries = await eventually(async () => {
      const response = await query.server.post('/admin/audit/query', { scope: project_id });
      return response.entries.length === 10 && response.entries;
    }, 10_000);
    expect(entries.map(({ action, user }: Record<string, string>) => [action, user])).toEqual([
      ['erase', expect.stringMatching(/^cli:/)],
      ['feedback.replace', 'ann'],
      ['aliases.remove', 'ann'],
      ['aliases.set', 'ann'],
      ['tags.remove', 'ann'],
      ['tags.add', 'ann'],
      ['keys.revoke', 'ann'],
      ['keys.create', 'ann'],
      ['retention.set', 'ann'],
      ['calls.delete', 'ann'],
    ]);
    for (const field of ['key_id', 'address', 'request_id'])
      expect(entries.filter((entry: Record<string, string>) => entry[field] === '')).toEqual([]);
    expect(entries[0].key_id).toBe('cli');
    expect(entries[9].detail).toEqual({ requested: call_ids, deleted: 0 });
    expect(entries[1].detail).toEqual({ id: feedback_id });
    expect(entries[2].detail).toEqual({ object_id: 'named', aliases: ['best'] });
    expect(entries[4].detail).toMatchObject({ object_id: 'named', tags: ['good'] });
    const lines = (await done('audit', '--scope', project_id, '--action', 'keys.'))
      .trim()
      .split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/ann \(environment from \S+\) {2}keys\.revoke/);
  });
});
