import { randomUUID } from 'node:crypto';
import { aProject, sharedServer } from '../support/test-server.js';
import { aStart, anEnd, endItem, startItem } from '../support/records.js';

const server = sharedServer();
const read = async (project_id: string, id: string) =>
  (await server.post('/call/read', { project_id, id })).call;
const count = async (project_id: string, filter: object = {}) =>
  (await server.post('/calls/query_stats', { project_id, filter })).count;

describe('calls, end to end', () => {
  it('are readable right after the start, and complete right after the end', async () => {
    const project_id = aProject();
    const start = aStart({ project_id, inputs: { q: 'why?' }, attributes: { env: 'test' } });

    const started = await server.post('/call/start', { start });
    expect(started).toEqual({ id: start.id, trace_id: start.trace_id });
    expect(await read(project_id, start.id)).toMatchObject({
      id: start.id,
      op_name: 'summarise',
      inputs: { q: 'why?' },
      ended_at: null,
      output: null,
      summary: { weave: { status: 'running', trace_name: 'summarise' } },
    });

    await server.post('/call/end', { end: anEnd({ project_id, id: start.id, output: { a: 42 } }) });
    expect(await read(project_id, start.id)).toMatchObject({
      output: { a: 42 },
      ended_at: '2026-03-01T10:00:01.250000Z',
      wb_user_id: 'ann',
      summary: { weave: { status: 'success', latency_ms: 1250 } },
    });
  });

  it('are complete when the end arrives before the start', async () => {
    const project_id = aProject();
    const id = randomUUID();

    await server.post('/call/end', { end: anEnd({ project_id, id, output: 'early' }) });
    expect(await read(project_id, id)).toBeNull();
    expect(await count(project_id)).toBe(0);

    await server.post('/call/start', { start: aStart({ project_id, id }) });
    expect(await read(project_id, id)).toMatchObject({ output: 'early', op_name: 'summarise' });
    expect(await count(project_id)).toBe(1);
  });

  it('return every payload with the text that was sent', async () => {
    const project_id = aProject();
    const id = randomUUID();
    const inputs =
      '{"one":1.0,"big":123456789012345678901234567890,"e":1e400,"s":"\\ud800","twice":1,"twice":2,"__proto__":{"x":[]}, "é":"\\u00e9"}';
    const start = JSON.stringify(aStart({ project_id, id })).replace(
      '"inputs":{}',
      `"inputs":${inputs}`,
    );
    const end = JSON.stringify(anEnd({ project_id, id })).replace('}', `,"output":${inputs}}`);

    await server.send('/call/start', `{"start":${start}}`);
    await server.send('/call/end', `{"end":${end.replace('"summary":{,', '"summary":{},')}}`);
    const { text } = await server.send('/call/read', { project_id, id });

    expect(text).toContain(`"inputs":${inputs}`);
  });

  it('are stored from a batch whatever its other items are', async () => {
    const project_id = aProject();
    const [a, b] = [randomUUID(), randomUUID()];
    const batch = [
      startItem({ project_id, id: a }),
      { mode: 'unheard of', req: {} },
      endItem({ project_id, id: a, exception: 'boom' }),
      startItem({ project_id, id: b, started_at: 'yesterday' }),
      'not even an object',
    ];

    const { res } = await server.post('/call/upsert_batch', { batch });

    expect(res).toHaveLength(5);
    expect(res[0]).toMatchObject({ id: a });
    expect(res[2]).toEqual({});
    expect(await read(project_id, a)).toMatchObject({
      exception: 'boom',
      summary: { weave: { status: 'error' } },
    });
    expect(await read(project_id, b)).toBeNull();
    expect(await count(project_id)).toBe(1);
  });

  it('get ids from the server when they have none, and the same ids when the request is repeated', async () => {
    const project_id = aProject();
    const { id: _id, trace_id: _trace, ...start } = aStart({ project_id });
    const headers = { 'x-weave-retry-id': randomUUID() };

    const first = (await server.send('/call/start', { start }, { headers })).json();
    const again = (await server.send('/call/start', { start }, { headers })).json();

    expect(first.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(again).toEqual(first);
    expect(await count(project_id)).toBe(1);
  });

  it('are counted by call, op, trace and root', async () => {
    const project_id = aProject();
    const [root, child, other] = [randomUUID(), randomUUID(), randomUUID()];
    const trace_id = randomUUID();
    const op = (version: string) => `weave:///${project_id}/op/response:${version}`;
    await server.post('/call/upsert_batch', {
      batch: [
        startItem({ project_id, id: root, trace_id, op_name: op('v1') }),
        startItem({ project_id, id: child, trace_id, parent_id: root, op_name: op('v2') }),
        startItem({ project_id, id: other }),
      ],
    });

    expect(await count(project_id)).toBe(3);
    expect(await count(project_id, { call_ids: [root, other, 'unknown'] })).toBe(2);
    expect(await count(project_id, { op_names: ['summarise'] })).toBe(1);
    expect(await count(project_id, { op_names: [op('*')] })).toBe(2);
    expect(await count(project_id, { op_names: [op('v2'), 'summarise'] })).toBe(2);
    expect(await count(project_id, { trace_ids: [trace_id] })).toBe(2);
    expect(await count(project_id, { trace_roots_only: true })).toBe(2);
    expect(await count(project_id, { trace_ids: [trace_id], trace_roots_only: true })).toBe(1);
    expect(await count(project_id, { call_ids: [], op_names: null })).toBe(3);
    expect(await count(project_id, { thread_ids: [] })).toBe(0);
    expect(await count(aProject())).toBe(0);
  });

  it('are counted up to the limit', async () => {
    const project_id = aProject();
    const batch = Array.from({ length: 5 }, () => startItem({ project_id }));
    await server.post('/call/upsert_batch', { batch });

    const stats = (limit: number) => server.post('/calls/query_stats', { project_id, limit });
    expect(await stats(3)).toMatchObject({ count: 3, has_more: true });
    expect(await stats(9)).toMatchObject({ count: 5, has_more: false });
  });

  it('are served under /traces and with repeated slashes', async () => {
    const project_id = aProject();
    const start = aStart({ project_id });

    await server.post('/traces/call/start', { start });

    expect((await server.post('//call//read', { project_id, id: start.id })).call.id).toBe(
      start.id,
    );
  });

  it('are accepted by the thousand in one batch', async () => {
    const project_id = aProject();
    const ids = Array.from({ length: 2000 }, () => randomUUID());
    const batch = ids.flatMap((id) => [
      endItem({ project_id, id, output: id }),
      startItem({ project_id, id }),
    ]);

    await server.post('/call/upsert_batch', { batch });

    expect(await count(project_id)).toBe(2000);
    expect((await read(project_id, ids[1234]!)).output).toBe(ids[1234]);
  });
});
