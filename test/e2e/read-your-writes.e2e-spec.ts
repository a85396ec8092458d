import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import S3rver from 's3rver';
import { aProject, type TestResponse, type TestServer } from '../support/test-server.js';
import { eventually, temporaryDirectory } from '../support/processes.js';
import { aStart } from '../support/records.js';
import { isReady, SplitServer, type Part } from '../support/split-server.js';

/** Far longer than a read that does not wait takes on a busy machine. */
const WAIT_MS = 3000;
const FILE_MAX = 2048;

let split: SplitServer;
let ingest: Part;
let worker: Part;
let query: Part;

beforeAll(async () => {
  split = await SplitServer.start();
  [ingest, worker, query] = await Promise.all([
    split.part('ingest', { READY_MAX_LAG_MS: '1000', FILE_MAX_BYTES: String(FILE_MAX) }),
    split.part('worker'),
    split.part('query', { READ_WAIT_MS: String(WAIT_MS) }),
  ]);
});
afterAll(() => split.stop());

interface Timed {
  readonly response: TestResponse;
  readonly ms: number;
}

async function read(project_id: string, id: string, headers = {}): Promise<Timed> {
  const began = performance.now();
  const response = await query.server.send('/call/read', { project_id, id }, { headers });
  return { response, ms: performance.now() - began };
}

async function write(project_id: string): Promise<string> {
  const id = randomUUID();
  await ingest.server.post('/call/start', { start: aStart({ project_id, id }) });
  return id;
}

const pending = ({ response }: Timed) => response.headers.get('x-heddle-pending');
const callIn = ({ response }: Timed) => response.json().call;

describe('records', () => {
  const CLIENTS = 16;
  const ROUNDS = 4;
  const project_id = aProject();
  /** These reads do not wait for the caller's writes: an acknowledged record is readable at once. */
  const eventual = { headers: { 'x-heddle-consistency': 'eventual' } };
  const send = (path: string, body: object) =>
    query.server.send(path, { project_id, ...body }, eventual);

  /** Repeats a write while it is accepted but not yet readable. */
  async function written(path: string, body: unknown): Promise<any> {
    for (;;) {
      const response = await ingest.server.send(path, body);
      if (response.status === 200) return response.json();
      expect([response.status, response.text]).toEqual([
        503,
        expect.stringMatching(/write_pending/),
      ]);
    }
  }

  async function upload(text: string, to = ingest): Promise<Response> {
    const form = new FormData();
    form.append('project_id', project_id);
    form.append('file', new Blob([text]), 'blob');
    const authorization = `Basic ${btoa(`api:${ingest.server.key}`)}`;
    return fetch(`${to.server.url}/file/create`, {
      method: 'POST',
      headers: { authorization },
      body: form,
    });
  }

  async function client(name: string, round: number): Promise<void> {
    const row = { name, round };
    const table = await written('/table/create', { table: { project_id, rows: [row] } });
    const rows = await send('/table/query', { digest: table.digest });
    expect(rows.json()).toMatchObject({
      rows: [{ digest: table.row_digests[0], val: row, original_index: 0 }],
    });

    const text = `${name} ${round}`;
    const uploaded = (await (await upload(text)).json()) as { digest: string };
    expect((await send('/file/content', uploaded)).text).toBe(text);

    const val = { rows: `weave:///${project_id}/table/${table.digest}`, round };
    const { digest } = await written('/obj/create', { obj: { project_id, object_id: name, val } });
    const { obj } = (await send('/obj/read', { object_id: name, digest: 'latest' })).json();
    expect(obj).toMatchObject({ digest, val, version_index: round });
    const ref = `weave:///${project_id}/object/${name}:${digest}/attr/rows/id/${table.row_digests[0]}`;
    expect((await send('/refs/read_batch', { refs: [ref] })).json()).toEqual({ vals: [row] });
  }

  it('are refused when they have more bytes than the configuration allows', async () => {
    expect((await upload('x'.repeat(FILE_MAX))).status).toBe(200);
    const response = await upload('x'.repeat(FILE_MAX + 1));
    expect([response.status, await response.text()]).toEqual([
      413,
      expect.stringMatching(/larger than 2048 bytes/),
    ]);
  });

  it('may have the bytes of their files in a bucket, and are unavailable to a process without it', async () => {
    const directory = temporaryDirectory();
    const configureBuckets = [{ name: 'files' }];
    const s3 = new S3rver({ port: 0, silent: true, directory, configureBuckets });
    const { port } = await s3.run();
    const env = {
      FILES_S3_BUCKET: 'files',
      FILES_S3_URL: `http://127.0.0.1:${port}`,
      FILES_S3_KEY_ID: 'S3RVER',
      FILES_S3_SECRET: 'S3RVER',
    };
    const [to, from] = await Promise.all([split.part('ingest', env), split.part('query', env)]);
    const { digest } = (await (await upload('in the bucket', to)).json()) as { digest: string };
    const range = { headers: { range: 'bytes=5-8' } };

    const content = (server: TestServer, more = {}) =>
      server.send('/file/content', { project_id, digest }, more);
    expect((await content(from.server)).text).toBe('in the bucket');
    expect(await content(from.server, range)).toMatchObject({ status: 206, text: 'e bu' });
    expect((await upload('in the bucket', to)).status).toBe(200);
    expect(readdirSync(directory, { recursive: true }).join()).toContain(digest);
    const unavailable = await content(query.server);
    expect([unavailable.status, unavailable.text]).toEqual([
      503,
      expect.stringMatching(/storage_unavailable/),
    ]);
    await s3.close();
  });

  it('can be read from another process as soon as they are acknowledged, by 16 clients at once', async () => {
    let isDone = false;
    const calls = (async () => {
      while (!isDone) await write(project_id);
    })();
    const clients = Array.from({ length: CLIENTS }, async (_, i) => {
      for (let round = 0; round < ROUNDS; round++) await client(`client-${i}`, round);
    });
    await Promise.all(clients).finally(() => (isDone = true));
    await calls;
    const { objs } = (await send('/objs/query', { metadata_only: true })).json();
    expect(objs).toHaveLength(CLIENTS * ROUNDS);
  });
});

describe('a read', () => {
  const project_id = aProject();
  let id: string;

  it('finds what its user has just written', async () => {
    for (let i = 0; i < 10; i++) {
      const one = await write(project_id);
      const found = await read(project_id, one);
      if (pending(found) === null) expect(callIn(found)).toMatchObject({ id: one });
    }
    const last = await eventually(async () => {
      const found = await read(project_id, await write(project_id));
      return pending(found) === null && found;
    }, 30_000);
    expect(callIn(last)).not.toBeNull();
  });

  it('responds after its time limit while no worker runs, and reports that a write is pending', async () => {
    worker.program.signal('SIGSTOP');
    id = await write(project_id);

    const found = await read(project_id, id);
    expect([found.response.status, callIn(found), pending(found)]).toEqual([200, null, '1']);
    expect(found.ms).toBeGreaterThanOrEqual(WAIT_MS);
  });

  it('responds at once when it need not be fresh, or when no write is pending', async () => {
    const eventual = await read(project_id, id, { 'x-heddle-consistency': 'eventual' });
    const elsewhere = await read(aProject(), id);

    for (const found of [eventual, elsewhere]) {
      expect([found.response.status, callIn(found), pending(found)]).toEqual([200, null, null]);
    }
    const quickest = Math.min(eventual.ms, elsewhere.ms);
    expect(quickest).toBeLessThan(WAIT_MS);
  });

  it('works while ingest is not ready because facts are old and no worker runs', async () => {
    await eventually(async () => !(await isReady(ingest)), 20_000);

    const response = await ingest.server.send('/readyz', undefined, { method: 'GET', key: null });
    expect(response.status).toBe(503);
    expect(response.text).toMatch(
      /1 chunks are pending, the oldest for \d+ s, and no worker stores any/,
    );
    expect(await isReady(query)).toBe(true);
  });

  it('finds everything when the worker continues', async () => {
    worker.program.signal('SIGCONT');

    const found = await eventually(async () => {
      const one = await read(project_id, id);
      return pending(one) === null && one;
    }, 20_000);
    expect(callIn(found)).toMatchObject({ id });
    await eventually(() => isReady(ingest), 20_000);
  });
});
