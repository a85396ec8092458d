import { aProject, sharedServer } from '../support/test-server.js';
import { anIdMadeAt, aStart, endItem, startItem } from '../support/records.js';

const server = sharedServer();
const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });

async function aTrace(count: number): Promise<string> {
  const project_id = aProject();
  const batch = Array.from({ length: count }, (_, i) => [
    startItem({
      project_id,
      id: `c${i}`,
      trace_id: 't',
      started_at: new Date(Date.UTC(2026, 2, 1) + i * 1000).toISOString(),
      inputs: { i },
      ...(i > 0 ? { parent_id: 'c0' } : {}),
    }),
    endItem({
      project_id,
      id: `c${i}`,
      ended_at: new Date(Date.UTC(2026, 2, 1) + i * 1000 + 10 * i).toISOString(),
      output: `o${i}`,
    }),
  ]).flat();
  await server.post('/call/upsert_batch', { batch });
  for (let stored = 0; stored < count;) {
    const query = { $expr: { $not: [{ $eq: [field('ended_at'), literal(null)] }] } };
    ({ count: stored } = await server.post('/calls/query_stats', { project_id, query }));
  }
  return project_id;
}

const asJson = (text: string) => JSON.parse(text);
const ids = (calls: readonly { id: string }[]) => calls.map(({ id }) => id);

describe('calls, queried', () => {
  let project_id: string;
  beforeAll(async () => void (project_id = await aTrace(12)));

  it('come in the order, the page and with the columns that were requested for', async () => {
    const { calls } = await server.post('/calls/query', {
      project_id,
      sort_by: [{ field: 'summary.weave.latency_ms', direction: 'desc' }],
      limit: 2,
      offset: 1,
      columns: ['inputs.i'],
    });

    expect(ids(calls)).toEqual(['c10', 'c9']);
    expect(calls[0]).toMatchObject({
      op_name: 'summarise',
      inputs: { i: 10 },
      output: null,
      summary: null,
    });
  });

  it('come with what else was requested for', async () => {
    const { calls } = await server.post('/calls/query', {
      project_id,
      filter: { trace_roots_only: true },
      include_costs: true,
      include_feedback: true,
      include_storage_size: true,
      include_total_storage_size: true,
      include_usernames: true,
      expand_columns: ['inputs.model'],
    });

    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      wb_username: 'ann',
      summary: { weave: { feedback: [] } },
    });
    // Nothing that has a price was used.
    expect(calls[0].summary.weave).not.toHaveProperty('costs');
    expect(calls[0].total_storage_size_bytes).toBeGreaterThan(calls[0].storage_size_bytes);
  });

  it('are as large as the texts that were sent, one by one, as a trace and as a count', async () => {
    const sent = (i: number) =>
      Buffer.byteLength(['{}', JSON.stringify({ i }), JSON.stringify(`o${i}`), '{}'].join(''));
    const all = Array.from({ length: 12 }, (_, i) => sent(i)).reduce((a, b) => a + b);
    const read = async (id: string, requested: object) =>
      (await server.post('/call/read', { project_id, id, ...requested })).call;
    const both = { include_storage_size: true, include_total_storage_size: true };

    expect(await read('c0', both)).toMatchObject({
      storage_size_bytes: sent(0),
      total_storage_size_bytes: all,
    });
    expect(await read('c10', both)).toMatchObject({
      storage_size_bytes: sent(10),
      total_storage_size_bytes: null,
    });
    expect(await read('c0', {})).toMatchObject({
      storage_size_bytes: null,
      total_storage_size_bytes: null,
    });
    const stats = (request: object) =>
      server.post('/calls/query_stats', {
        project_id,
        include_total_storage_size: true,
        ...request,
      });
    expect(await stats({})).toEqual({
      count: 12,
      has_more: false,
      total_storage_size_bytes: all,
    });
    const newest = { query: { $expr: { $gt: [field('inputs.i'), literal(9)] } } };
    expect(await stats(newest)).toMatchObject({
      count: 2,
      total_storage_size_bytes: sent(10) + sent(11),
    });
  });

  it('have all of their summary when it alone is requested for, and what it is made of', async () => {
    const { calls } = await server.post('/calls/query', {
      project_id,
      filter: { call_ids: ['c3'] },
      columns: ['summary'],
    });

    expect(calls).toEqual([
      expect.objectContaining({
        id: 'c3',
        ended_at: '2026-03-01T00:00:03.030000Z',
        exception: null,
        display_name: null,
        inputs: {},
        attributes: {},
        output: null,
        summary: { weave: { status: 'success', latency_ms: 30, trace_name: 'summarise' } },
      }),
    ]);
  });

  it('come once each, whether that is requested for or not', async () => {
    const again = startItem({ project_id, id: 'c0', trace_id: 't', inputs: { i: 0 } });
    await server.post('/call/upsert_batch', { batch: [again, again] });
    const requested = async (latest_only: boolean | null) =>
      ids((await server.post('/calls/query', { project_id, latest_only })).calls);

    const calls = await requested(true);

    expect([...calls].sort()).toEqual(Array.from({ length: 12 }, (_, i) => `c${i}`).sort());
    expect(await requested(false)).toEqual(calls);
    expect(await requested(null)).toEqual(calls);
    const wrong = { project_id, latest_only: 'yes' };
    expect((await server.send('/calls/query', wrong)).status).toBe(422);
  });

  it('stream as lines, packed when the client can unpack, and as nothing when there are none', async () => {
    const send = (query: object, encoding: string) =>
      server.send(
        '/calls/stream_query',
        { project_id, ...query },
        { headers: { 'accept-encoding': encoding } },
      );

    const plain = await send({}, 'identity');
    const packed = await send({}, 'gzip, deflate');
    const none = await send({ filter: { op_names: ['nothing'] } }, 'identity');

    expect(plain.headers.get('content-type')).toContain('application/jsonl');
    expect(ids(plain.text.trimEnd().split('\n').map(asJson))).toHaveLength(12);
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.text).toBe(plain.text);
    expect(none).toMatchObject({ status: 200, text: '' });
  });

  it.each([
    ['at once where its id says that it started', '2026-03-01T10:00:09Z', 1],
    ['although its id was made at another time', '2026-03-01T11:00:00Z', 2],
    ['although its id was made before anybody traced calls', '1970-01-01T00:00:01Z', 2],
    ['although its id was made when nobody will be left', '+010889-08-02T05:31:50.655Z', 2],
  ])('find one call %s', async (_, made, statements) => {
    const one = aStart({ project_id: aProject(), id: anIdMadeAt(made) });
    await server.post('/call/start', { start: one });

    const response = await server.send('/call/read', one, { headers: { 'x-heddle-explain': '1' } });

    const { call, explain } = response.json();
    expect(call.id).toBe(one.id);
    expect(explain).toHaveLength(statements);
  });

  it('explain themselves in the last line of a stream', async () => {
    const response = await server.send(
      '/calls/stream_query',
      { project_id },
      { headers: { 'x-heddle-explain': '1' } },
    );

    const lines = response.text.trimEnd().split('\n').map(asJson);
    expect(ids(lines.slice(0, -1))).toHaveLength(12);
    expect(lines.at(-1)).toMatchObject({
      explain: [{ sql: expect.stringContaining('FROM calls'), indexes: expect.any(Array) }],
    });
  });

  it.each([
    [
      'an unknown field',
      { query: { $expr: { $eq: [field('colour'), literal(1)] } } },
      422,
      /\$getField/,
    ],
    ['an empty $and', { query: { $expr: { $and: [] } } }, 400, /query\.\$expr\.\$and/],
    [
      'a bad date',
      { query: { $expr: { $gt: [field('started_at'), literal('soon')] } } },
      400,
      /moment/,
    ],
    [
      'a size in a filter',
      { query: { $expr: { $eq: [field('storage_size_bytes'), literal(1)] } } },
      422,
      /cannot be queried/,
    ],
    ['a bad direction', { sort_by: [{ field: 'id', direction: 'up' }] }, 422, /direction/],
    ['an unknown sort field', { sort_by: [{ field: 'colour', direction: 'asc' }] }, 422, /sort_by/],
    ['an unknown column', { columns: ['colour'] }, 422, /columns/],
    ['a negative offset', { offset: -1 }, 400, /offset/],
  ])('refuse %s, and say where', async (_, request, status, says) => {
    for (const path of ['/calls/query', '/calls/stream_query']) {
      const response = await server.send(path, { project_id, ...request });
      expect({ status: response.status, text: response.text }).toEqual({
        status,
        text: expect.stringMatching(says),
      });
    }
  });

  it('give only 4xx to nonsense over HTTP', async () => {
    const nonsense = [
      null,
      1,
      'x',
      [],
      {},
      { $and: 1 },
      { $eq: [] },
      { $in: [field('id')] },
      { $size: 1 },
      { $not: [] },
    ];
    for (const one of nonsense) {
      for (const query of [one, { $expr: one }, { $expr: { $and: [one, one] } }]) {
        const { status } = await server.send('/calls/query_stats', { project_id, query });
        expect({ query, is4xx: status >= 400 && status < 500 }).toEqual({
          query,
          is4xx: query !== null,
        });
      }
    }
  });
});
