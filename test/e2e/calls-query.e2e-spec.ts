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

  it('are returned in the requested order, page and columns', async () => {
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

  it('are returned with the requested extras', async () => {
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
    // The call used no model that has a price.
    expect(calls[0].summary.weave).not.toHaveProperty('costs');
    expect(calls[0].total_storage_size_bytes).toBeGreaterThan(calls[0].storage_size_bytes);
  });

  it('have the size of the texts that were sent: each call, its trace and the sum of a count', async () => {
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

  it('have their whole summary and the fields it is computed from when only the summary is requested', async () => {
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

  it('are returned once each, whatever latest_only is', async () => {
    const again = startItem({ project_id, id: 'c0', trace_id: 't', inputs: { i: 0 } });
    await server.post('/call/upsert_batch', { batch: [again, again] });
    const returned = async (latest_only: boolean | null) =>
      ids((await server.post('/calls/query', { project_id, latest_only })).calls);

    const calls = await returned(true);

    expect([...calls].sort()).toEqual(Array.from({ length: 12 }, (_, i) => `c${i}`).sort());
    expect(await returned(false)).toEqual(calls);
    expect(await returned(null)).toEqual(calls);
    const wrong = { project_id, latest_only: 'yes' };
    expect((await server.send('/calls/query', wrong)).status).toBe(422);
  });

  it('are streamed as lines, compressed when the client accepts it, and as an empty body when there are none', async () => {
    const send = (query: object, encoding: string) =>
      server.send(
        '/calls/stream_query',
        { project_id, ...query },
        { headers: { 'accept-encoding': encoding } },
      );

    const plain = await send({}, 'identity');
    const compressed = await send({}, 'gzip, deflate');
    const none = await send({ filter: { op_names: ['nothing'] } }, 'identity');

    expect(plain.headers.get('content-type')).toContain('application/jsonl');
    expect(ids(plain.text.trimEnd().split('\n').map(asJson))).toHaveLength(12);
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(compressed.text).toBe(plain.text);
    expect(none).toMatchObject({ status: 200, text: '' });
  });

  it.each([
    ['with one statement when its id has its start time', '2026-03-01T10:00:09Z', 1],
    ['with a second statement when its id has another time', '2026-03-01T11:00:00Z', 2],
    ['although its id has a time long ago', '1970-01-01T00:00:01Z', 2],
    ['although its id has the last possible time', '+010889-08-02T05:31:50.655Z', 2],
  ])('are found by id %s', async (_, made, statements) => {
    const one = aStart({ project_id: aProject(), id: anIdMadeAt(made) });
    await server.post('/call/start', { start: one });

    const response = await server.send('/call/read', one, { headers: { 'x-heddle-explain': '1' } });

    const { call, explain } = response.json();
    expect(call.id).toBe(one.id);
    expect(explain).toHaveLength(statements);
  });

  it('are explained in the last line of a stream', async () => {
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
      /unix seconds/,
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
  ])('are refused with the place of the error: %s', async (_, request, status, says) => {
    for (const path of ['/calls/query', '/calls/stream_query']) {
      const response = await server.send(path, { project_id, ...request });
      expect({ status: response.status, text: response.text }).toEqual({
        status,
        text: expect.stringMatching(says),
      });
    }
  });

  it('are refused with 4xx for every invalid query', async () => {
    const invalid = [
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
    for (const one of invalid) {
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
