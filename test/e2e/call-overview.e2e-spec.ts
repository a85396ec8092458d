import { aProject, sharedServer } from '../support/test-server.js';
import { aStart, anEnd, endItem, startItem } from '../support/records.js';

const server = sharedServer();
const project_id = aProject();
const usage = (model: string) => ({ usage: { [model]: { requests: 1, total_tokens: 3 } } });
const minute = (i: number) => `2026-03-01T10:${String(i).padStart(2, '0')}:00Z`;

/** Twelve calls, one a minute: every third fails, and every call names a customer but the last. */
beforeAll(async () => {
  const batch = Array.from({ length: 12 }, (_, i) => [
    startItem({
      project_id,
      id: `c${i}`,
      op_name: i < 8 ? 'often' : 'seldom',
      started_at: minute(i),
      inputs: i === 11 ? {} : { customer: `k${i % 2}`, long: 'x'.repeat(i === 0 ? 900 : 1) },
    }),
    endItem({
      project_id,
      id: `c${i}`,
      ended_at: minute(i + 1),
      exception: i % 3 === 0 ? 'no' : null,
      summary:
        i % 2 === 0
          ? { ...usage('m1') }
          : { usage: { ...usage('m1').usage, ...usage('m2').usage } },
    }),
  ]).flat();
  await server.post('/call/upsert_batch', { batch });
});

const isOften = { query: { $expr: { $eq: [{ $getField: 'op_name' }, { $literal: 'often' }] } } };
const byCustomer = {
  query: { $expr: { $eq: [{ $getField: 'inputs.customer' }, { $literal: 'k1' }] } },
};
const byWord = {
  query: {
    $expr: { $contains: { input: { $getField: 'inputs.long' }, substr: { $literal: 'xxxx' } } },
  },
};

describe('the histogram of calls', () => {
  const histogram = (body: object) => server.post('/calls/histogram', { project_id, ...body });

  it('counts calls and errors in buckets of equal width', async () => {
    const range = { start: minute(0), end: minute(12), buckets: 4 };

    expect(await histogram(range)).toEqual({
      start: '2026-03-01T10:00:00.000000Z',
      end: '2026-03-01T10:12:00.000000Z',
      bucket_seconds: 180,
      calls: [3, 3, 3, 3],
      errors: [1, 1, 1, 1],
      total: 12,
      total_errors: 4,
    });
    expect(await histogram({ ...range, ...isOften })).toMatchObject({ calls: [3, 3, 2, 0] });
    expect(await histogram({ ...range, ...byCustomer })).toMatchObject({ calls: [1, 2, 1, 1] });
    expect(await histogram({ ...range, ...byWord })).toMatchObject({ calls: [1, 0, 0, 0] });
    expect(await histogram({ ...range, start: minute(6), buckets: 2 })).toMatchObject({
      calls: [3, 3],
      total: 6,
    });
  });

  it('begins with the first matching call and ends now without a range', async () => {
    const all = await histogram({ buckets: 3 });
    const filtered = await histogram({ filter: { op_names: ['seldom'] } });

    expect(all).toMatchObject({ start: '2026-03-01T10:00:00.000000Z', total: 12 });
    expect(all.calls).toHaveLength(3);
    expect(filtered).toMatchObject({ start: '2026-03-01T10:08:00.000000Z', total: 4 });
    expect(filtered.calls).toHaveLength(60);
  });

  it('is empty where there are no calls', async () => {
    const none = await server.post('/calls/histogram', { project_id: aProject() });

    expect(none).toMatchObject({ calls: [], errors: [], total: 0 });
  });

  it.each([
    { buckets: 0 },
    { buckets: 501 },
    { start: 'yesterday' },
    { start: minute(3), end: minute(1) },
  ])('is refused for %j', async (body) => {
    const { status } = await server.send('/calls/histogram', { project_id, ...body });
    expect([400, 422]).toContain(status);
  });
});

describe('the facets of calls', () => {
  const facets = (body: object) => server.post('/calls/facets', { project_id, ...body });

  it('are the most frequent values of each field, and how many calls have none', async () => {
    const fields = ['op_name', 'summary.weave.status', 'model', 'inputs.customer', 'thread_id'];

    expect(await facets({ fields })).toEqual({
      calls: 12,
      sampled: false,
      facets: [
        {
          field: 'op_name',
          values: [
            { value: 'often', count: 8 },
            { value: 'seldom', count: 4 },
          ],
          distinct: 2,
          missing: 0,
        },
        {
          field: 'summary.weave.status',
          values: [
            { value: 'success', count: 8 },
            { value: 'error', count: 4 },
          ],
          distinct: 2,
          missing: 0,
        },
        {
          field: 'model',
          values: [
            { value: 'm1', count: 12 },
            { value: 'm2', count: 6 },
          ],
          distinct: 2,
          missing: 0,
        },
        {
          field: 'inputs.customer',
          values: [
            { value: 'k0', count: 6 },
            { value: 'k1', count: 5 },
          ],
          distinct: 2,
          missing: 1,
        },
        { field: 'thread_id', values: [], distinct: 0, missing: 12 },
      ],
    });
  });

  it('are limited in number and length, and follow the conditions', async () => {
    const { facets: ids } = await facets({ fields: ['id'], limit: 3 });
    const { facets: long } = await facets({ fields: ['inputs.long'] });
    const { calls, facets: ops } = await facets({
      fields: ['op_name'],
      ...byCustomer,
      end: minute(4),
    });

    expect(ids[0]).toMatchObject({ distinct: 12, missing: 0 });
    expect(ids[0].values).toHaveLength(3);
    expect(long[0].values.map(({ value }: { value: string }) => value.length).sort()).toEqual([
      1, 500,
    ]);
    expect([calls, ops[0].values]).toEqual([2, [{ value: 'often', count: 2 }]]);
  });

  it.each([
    { fields: [] },
    { fields: ['nothing'] },
    { fields: ['input_refs'] },
    { fields: Array(11).fill('id') },
  ])('are refused for %j', async (body) => {
    const { status } = await server.send('/calls/facets', { project_id, ...body });
    expect([400, 422]).toContain(status);
  });
});

describe('the previews of calls', () => {
  const previews = async (body: object) => {
    const { status, text } = await server.send('/calls/preview', { project_id, ...body });
    expect(status).toBe(200);
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, any>);
  };
  const ids = (calls: readonly Record<string, any>[]) => calls.map(({ id }) => id as string);
  const newest = [{ field: 'started_at', direction: 'desc' }];

  it('have the first characters of payloads, their size, and values of any field', async () => {
    const [first] = await previews({ characters: 20, columns: ['inputs.customer', 'wb_run_id'] });

    expect(first).toMatchObject({ id: 'c0', status: 'error', latency_ms: 60_000, exception: 'no' });
    expect(first!['inputs']).toEqual({
      text: '{"customer":"k0","lo',
      bytes: JSON.stringify({ customer: 'k0', long: 'x'.repeat(900) }).length,
    });
    expect(first!['values']).toEqual(['k0', null]);
  });

  it('follow conditions and order, page by page, in the order of time or any other', async () => {
    const page = { sort_by: newest, limit: 3 };
    expect(ids(await previews(page))).toEqual(['c11', 'c10', 'c9']);
    expect(ids(await previews({ ...page, offset: 3 }))).toEqual(['c8', 'c7', 'c6']);
    expect(ids(await previews({ ...page, ...byCustomer }))).toEqual(['c9', 'c7', 'c5']);
    expect(ids(await previews({ ...byWord }))).toEqual(['c0']);
    const sort_by = [{ field: 'inputs.customer', direction: 'desc' }];
    expect(ids(await previews({ sort_by, limit: 1 }))).toEqual(['c9']);
    const byTokens = [{ field: 'summary.weave.total_tokens', direction: 'desc' }];
    expect(await previews({ sort_by: byTokens, limit: 1 })).toMatchObject([{ tokens: 6 }]);
  });

  it('say where a text is, and count feedback', async () => {
    await server.post('/feedback/create', {
      project_id,
      weave_ref: `weave:///${project_id}/call/c0`,
      feedback_type: 'wandb.note.1',
      payload: { note: 'x' },
    });
    const [first, second] = await previews({ highlight: 'XXXX', limit: 2 });

    expect(first).toMatchObject({ feedback: 1, hits: [{ member: 'inputs', offset: 25 }] });
    expect(first!['hits'][0].snippet).toContain('xxxx');
    expect(second).toMatchObject({ feedback: 0, hits: [] });
  });

  it.each([
    { limit: 501 },
    { characters: 0 },
    { columns: ['no'] },
    { columns: Array(11).fill('id') },
  ])('are refused for %j', async (body) => {
    const { status } = await server.send('/calls/preview', { project_id, ...body });
    expect([400, 422]).toContain(status);
  });
});

describe('a part of a payload', () => {
  const text = `{"text":"über ${'é'.repeat(1000)}","n":1234567890123456789012345678901234567890}`;
  const bytes = Buffer.from(text);
  let id: string;

  beforeAll(async () => {
    const start = aStart({ project_id });
    id = start.id;
    const body = JSON.stringify({ start: { ...start, inputs: 'HERE' } }).replace('"HERE"', text);
    expect((await server.send('/call/start', body)).status).toBe(200);
  });

  const read = async (body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/call/payload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, ...headers },
      body: JSON.stringify({ project_id, id, member: 'inputs', ...body }),
    });
    return {
      status: response.status,
      range: response.headers.get('content-range'),
      etag: response.headers.get('etag')!,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };

  it('is exactly these bytes of the text that was sent, also inside a character', async () => {
    expect(await read({})).toMatchObject({
      range: `bytes 0-${bytes.length - 1}/${bytes.length}`,
      bytes,
    });
    for (const [offset, length] of [
      [0, 10],
      [10, 1],
      [501, 777],
      [bytes.length - 5, 100],
    ] as const) {
      const part = await read({ offset, length });
      expect(part.bytes).toEqual(bytes.subarray(offset, offset + length));
      expect(part.range).toBe(`bytes ${offset}-${offset + part.bytes.length - 1}/${bytes.length}`);
    }
  });

  it('has an ETag that changes with the call', async () => {
    const { etag } = await read({});

    expect(await read({}, { 'if-none-match': etag })).toMatchObject({ status: 304, etag });
    expect((await read({ offset: 5 }, { 'if-match': etag })).status).toBe(200);
    await server.post('/call/end', { end: anEnd({ project_id, id, output: [1] }) });
    await server.post('/call/read', { project_id, id });

    expect((await read({}, { 'if-none-match': etag })).status).toBe(200);
    expect((await read({}, { 'if-match': etag })).status).toBe(412);
    expect((await read({ member: 'output' })).bytes.toString()).toBe('[1]');
  });

  it('that was never sent is empty, as in the call', async () => {
    const start = aStart({ project_id });
    await server.post('/call/start', { start });

    expect((await read({ id: start.id, member: 'output' })).bytes.toString()).toBe('null');
    expect((await read({ id: start.id, member: 'summary' })).bytes.toString()).toBe('{}');
  });

  it.each([
    [{ offset: 1_000_000 }, 416],
    [{ id: 'unknown' }, 404],
    [{ member: 'exception' }, 422],
    [{ length: 0 }, 400],
    [{ length: 100_000_000 }, 422],
    [{ offset: -1 }, 400],
  ])('is refused for %j with %i', async (body, status) => {
    expect((await read(body)).status).toBe(status);
  });

  it('of another project is not found', async () => {
    expect((await read({ project_id: aProject() })).status).toBe(404);
  });
});
