import { randomUUID } from 'node:crypto';
import zlib from 'node:zlib';
import { eventually } from '../support/processes.js';
import { aProject, sharedServer } from '../support/test-server.js';
import { aLargeText, aStart, anEnd, anIdMadeAt, endItem, startItem } from '../support/records.js';

const server = sharedServer();
const read = async (project_id: string, id: string) =>
  (await server.post('/call/read', { project_id, id })).call;
const count = async (project_id: string, filter: object = {}) =>
  (await server.post('/calls/query_stats', { project_id, filter })).count;

const aCall = (fields: Record<string, unknown> = {}) => ({ ...aStart(fields), ...anEnd(fields) });
const anId = () => randomUUID();
const MiB = 1024 * 1024;

describe('complete calls', () => {
  it('are stored by /v2, also when another item of the batch is invalid', async () => {
    const project_id = aProject();
    const [a, b] = [anId(), anId()];
    const batch = [
      aCall({ project_id, id: a, trace_id: anId(), output: [1] }),
      { project_id, id: 'half a call' },
      aCall({ project_id, id: b, trace_id: anId() }),
    ];

    expect(await server.post(`/v2/${project_id}/calls/complete`, { batch })).toEqual({});

    expect(await read(project_id, a)).toMatchObject({
      output: [1],
      summary: { weave: { status: 'success' } },
    });
    expect(await count(project_id)).toBe(2);
  });

  it('are folded with starts and ends of the same call in any order', async () => {
    const project_id = aProject();
    const id = anId();
    const trace_id = anId();

    await server.post(`/v2/${project_id}/call/end`, {
      end: anEnd({ project_id, id, output: 'early' }),
    });
    await server.post('/call/upsert_batch', {
      batch: [startItem({ project_id, id, trace_id, inputs: { n: 1 } })],
    });
    expect(await read(project_id, id)).toMatchObject({ output: 'early', inputs: { n: 1 } });

    const batch = [aCall({ project_id, id, trace_id, inputs: { n: 2 }, output: 'whole' })];
    await server.post(`/v2/${project_id}/calls/complete`, { batch });
    expect(await read(project_id, id)).toMatchObject({ output: 'whole', inputs: { n: 2 } });

    await server.post(`/v2/${project_id}/call/start`, {
      start: aStart({ project_id, id, trace_id, inputs: { n: 3 } }),
    });
    expect(await read(project_id, id)).toMatchObject({ output: 'whole', inputs: { n: 3 } });
    expect(await count(project_id)).toBe(1);
  });

  it.each([
    ['has no time in it', anId()],
    ['has the first start time in it', anIdMadeAt('2026-03-01T10:00:00Z')],
    ['has the last start time in it', anIdMadeAt('2026-04-02T10:00:00Z')],
  ])('sent again with another start time are one call when the id %s', async (_, id) => {
    const project_id = aProject();
    const trace_id = anId();
    const send = (started_at: string) =>
      server.post('/call/start', { start: aStart({ project_id, id, trace_id, started_at }) });

    await send('2026-03-01T10:00:00Z');
    await send('2026-04-02T10:00:00Z');

    expect(await count(project_id)).toBe(1);
    expect((await read(project_id, id)).started_at).toBe('2026-04-02T10:00:00.000000Z');
  });
});

describe('a call of another user', () => {
  it('that is overwritten leaves an audit entry with key, address and request', async () => {
    const project_id = aProject();
    const [id, trace_id] = [anId(), anId()];
    const { id: key_id, key } = await server.post('/admin/keys/create', {
      ...{ user: 'eve', scope: project_id, role: 'write' },
    });
    const start = (fields: object) => ({ start: aStart({ project_id, id, trace_id, ...fields }) });
    await server.post('/call/start', start({ inputs: { a: 1 } }));
    expect(await read(project_id, id)).toMatchObject({ inputs: { a: 1 } });

    expect((await server.send('/call/start', start({ inputs: { a: 2 } }), { key })).status).toBe(
      200,
    );

    const entry = await eventually(async () => {
      const { entries } = await server.post('/admin/audit/query', { scope: project_id });
      return entries.find(({ action }: { action: string }) => action === 'calls.overwrite');
    }, 20_000);
    expect(entry).toMatchObject({ user: 'eve', key_id, detail: { call_ids: [id], count: 1 } });
    expect(entry.address).toMatch(/127\.0\.0\.1|::1/);
    expect(entry.request_id).toMatch(/\S/);
  });
});

describe('a name', () => {
  const rename = (project_id: string, call_id: string, display_name: unknown) =>
    server.send('/call/update', { project_id, call_id, display_name });

  it('can be set before the call is stored, changed, and removed', async () => {
    const project_id = aProject();
    const id = anId();

    expect((await rename(project_id, id, 'first')).json()).toEqual({});
    await server.post('/call/start', {
      start: aStart({ project_id, id, display_name: 'at start' }),
    });
    expect((await read(project_id, id)).display_name).toBe('first');

    await rename(project_id, id, 'second');
    await rename(project_id, id, 'first');
    expect(await read(project_id, id)).toMatchObject({
      display_name: 'first',
      summary: { weave: { trace_name: 'first', display_name: 'first' } },
    });

    await rename(project_id, id, '');
    expect((await read(project_id, id)).display_name).toBeNull();
  });

  it('of an end replaces the name of its start', async () => {
    const project_id = aProject();
    const id = anId();
    const batch = [
      startItem({ project_id, id, display_name: 'start' }),
      endItem({ project_id, id, display_name: 'end' }),
    ];
    await server.post('/call/upsert_batch', { batch });

    expect((await read(project_id, id)).display_name).toBe('end');
  });

  it.each([
    [undefined, 400, /display_name is missing/],
    [null, 400, /display_name is missing/],
    [7, 422, /"display_name"\],"msg":"must be a string"/],
  ])('must be a string to be changed: %s', async (name, status, says) => {
    const response = await rename(aProject(), 'c1', name);

    expect(response.status).toBe(status);
    expect(response.text).toMatch(says);
  });
});

describe('deleting', () => {
  it('removes a call with all its descendants, and nothing else', async () => {
    const project_id = aProject();
    const trace_id = anId();
    const ids = { root: anId(), a: anId(), b: anId(), leaf: anId(), other: anId() };
    const start = (id: string, parent_id: string | null) =>
      startItem({ project_id, id, trace_id, parent_id });
    await server.post('/call/upsert_batch', {
      batch: [
        start(ids.leaf, ids.a),
        start(ids.a, ids.root),
        start(ids.b, ids.root),
        start(ids.root, null),
        startItem({ project_id, id: ids.other }),
      ],
    });

    expect(
      await server.post('/calls/delete', { project_id, call_ids: [ids.a, 'unknown'] }),
    ).toEqual({ num_deleted: 2 });

    expect(await read(project_id, ids.leaf)).toBeNull();
    expect(await count(project_id)).toBe(3);
    expect(await server.post('/calls/delete', { project_id, call_ids: [ids.a] })).toEqual({
      num_deleted: 0,
    });
    expect(await server.post('/calls/delete', { project_id, call_ids: [ids.root] })).toEqual({
      num_deleted: 2,
    });
    expect(await count(project_id)).toBe(1);
  });

  it('is final: later facts do not restore a call', async () => {
    const project_id = aProject();
    const id = anId();
    await server.post('/calls/delete', { project_id, call_ids: [id] });
    await server.post('/call/start', { start: aStart({ project_id, id }) });
    await server.post('/call/end', { end: anEnd({ project_id, id }) });

    expect(await read(project_id, id)).toBeNull();
    expect(await count(project_id)).toBe(0);
  });

  it('accepts at most a thousand ids', async () => {
    const call_ids = Array.from({ length: 1001 }, anId);
    const response = await server.send('/calls/delete', { project_id: aProject(), call_ids });

    expect(response.status).toBe(413);
    expect(response.json().reason).toMatch(/1000/);
  });
});

describe('a compressed body', () => {
  const start = () => aStart({ project_id: aProject() });
  const send = (body: Uint8Array, encoding: string) =>
    server.send('/call/start', body, { headers: { 'content-encoding': encoding } });

  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['br', zlib.brotliCompressSync],
  ] as const)('is accepted as %s', async (encoding, compress) => {
    const record = start();
    const response = await send(compress(JSON.stringify({ start: record })), encoding);

    expect(response.status).toBe(200);
    expect(await read(record.project_id, record.id)).toMatchObject({ id: record.id });
  });

  it('is limited by its size after decompression', async () => {
    const body = aLargeText(40 * MiB);
    const compressed = zlib.gzipSync(body, { level: 1 });
    expect(compressed.length * 200).toBeGreaterThan(body.length);

    const response = await send(compressed, 'gzip');
    expect(response.status).toBe(413);
    expect(response.json()).toEqual({
      error_code: 'body_too_large',
      reason: 'The body is too large.',
    });
    // The connection can still be used, although most of the body was never read.
    expect((await send(zlib.gzipSync(JSON.stringify({ start: start() })), 'gzip')).status).toBe(
      200,
    );
  });

  it('is refused when it is a decompression bomb, when it is corrupt, and when the encoding is unknown', async () => {
    const bomb = await send(zlib.gzipSync(Buffer.alloc(8 * MiB, ' ')), 'gzip');
    expect(bomb.status).toBe(413);
    expect(bomb.json().reason).toMatch(/grows too much .* more than 200 times/);
    expect((await send(Buffer.from('not gzip'), 'gzip')).status).toBe(400);
    const unknown = await send(Buffer.from('{}'), 'lzma');
    expect(unknown.status).toBe(415);
    expect(unknown.json().reason).toMatch(/^Content-Encoding lzma is not one of gzip, /);
  });

  it('is accepted as zstd where Node supports it, and refused with a reason elsewhere', async () => {
    const { zstdCompressSync } = zlib as { zstdCompressSync?: (text: string) => Buffer };
    const record = start();
    const text = JSON.stringify({ start: record });
    const response = await send(zstdCompressSync?.(text) ?? Buffer.from(text), 'zstd');

    if (zstdCompressSync === undefined) {
      expect(response.status).toBe(415);
      expect(response.json()).toEqual({
        error_code: 'unsupported_encoding',
        reason: 'Content-Encoding zstd is not one of gzip, x-gzip, deflate, br.',
      });
      return;
    }
    expect(response.status).toBe(200);
    expect(await read(record.project_id, record.id)).toMatchObject({ id: record.id });
  });
});
