import { aProject, sharedServer } from '../support/test-server.js';
import fc from 'fast-check';
import { CallFields } from '../../apps/query/src/calls/call-fields.js';
import { callsQuery } from '../../apps/query/src/calls/calls-query.js';
import { malformed } from '../support/malformed-queries.js';
import { startItem } from '../support/records.js';

const server = sharedServer();
const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });
const eq = (path: string, value: unknown) => ({ $eq: [field(path), literal(value)] });

const project_id = aProject();
const stats = (expr: unknown, headers: Record<string, string> = {}) =>
  server.send('/calls/query_stats', { project_id, query: { $expr: expr } }, { headers });

beforeAll(async () => {
  const batch = [
    startItem({ project_id, id: 'plain', inputs: { k3: 'v3', k7: 'v7' } }),
    // A list is not in the scalar index, so the text of this call decides.
    startItem({ project_id, id: 'listed', inputs: { k3: ['v3'], k7: 'v7' } }),
    startItem({ project_id, id: 'other', inputs: { k3: 'other' } }),
  ];
  await server.post('/call/upsert_batch', { batch });
});

describe('the size of a value', () => {
  const size = { $size: field('inputs.k3') };

  it.each([
    ['of texts', [2, 5, 1.5], 2],
    ['of a list, which is not in the scalar index', [1, 1.5], 1],
    ['of nothing', [7, 1.5], 0],
  ])('is found in a list of numbers: %s', async (_, sizes, count) => {
    const among = { $in: [size, sizes.map(literal)] };
    const either = { $or: sizes.map((one) => ({ $eq: [size, literal(one)] })) };

    for (const expr of [among, either]) {
      const response = await stats(expr);
      expect([response.status, response.json()]).toMatchObject([200, { count }]);
    }
    const not = await stats({ $not: [among] });
    expect(not.json()).toMatchObject({ count: 3 - count });
  });
});

describe('a query with many conditions', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => eq(`inputs.k${i}`, `v${i}`));

  it.each(['$or', '$and'])(
    'of twenty-four in %s is executed, also where only the text decides',
    async (operator) => {
      const response = await stats({ [operator]: many(24) });

      expect(response.status).toBe(200);
      expect(response.json().count).toBe(operator === '$or' ? 2 : 0);
    },
  );

  it('of forty is executed where the scalar index decides, and refused where the text does', async () => {
    const indexed = Array.from({ length: 40 }, (_, i) => eq(`inputs.other${i}`, `v${i}`));
    expect((await stats({ $or: [...indexed, eq('id', 'plain')] })).json()).toMatchObject({
      count: 1,
    });
    const response = await stats({ $or: many(40) });
    expect({ status: response.status, ...response.json() }).toEqual({
      status: 400,
      error_code: 'invalid_request',
      reason: expect.stringMatching(/payloads 40 times .* at most 24 times/),
    });
  });

  it('is executed when forty of them compare one field with different values', async () => {
    const values = Array.from({ length: 40 }, (_, i) => eq('inputs.k3', `v${i}`));
    const none = values.map((one) => ({ $not: [one] }));

    expect((await stats({ $or: values })).json()).toMatchObject({ count: 1 });
    expect((await stats({ $and: none })).json()).toMatchObject({ count: 2 });
  });

  it.each([
    ['calls', '/calls/query_stats', 'inputs.k'],
    ['calls as a stream', '/calls/stream_query', 'inputs.k'],
    ['feedback', '/feedback/query', 'payload.k'],
  ])(
    'of two hundred or two thousand about %s is refused with the place of the first one too many',
    async (_, path, at) => {
      for (const count of [200, 2000]) {
        const $or = Array.from({ length: count }, (__, i) => eq(`${at}${i}`, `v${i}`));
        const response = await server.send(path, { project_id, query: { $expr: { $or } } });

        expect({ count, status: response.status, ...response.json() }).toEqual({
          count,
          status: 400,
          error_code: 'invalid_request',
          reason:
            'query.$expr.$or.166.$eq.0.$getField: a query may have at most 500 operators, values and fields; this is one more.',
        });
      }
    },
  );

  it('may have a thousand values in one list', async () => {
    const values = Array.from({ length: 1000 }, (_, i) =>
      literal([`v${i}`, i, i % 2 === 0][i % 3]),
    );

    const response = await stats({ $in: [field('inputs.k3'), values] });

    expect({ status: response.status, ...response.json() }).toMatchObject({
      status: 200,
      count: 1,
    });
  });

  it('can be sorted by up to twenty fields', async () => {
    const keys = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ field: `inputs.sorted${i}`, order: 'asc' }));
    const sorted = (count: number) =>
      server.send('/calls/query', { project_id, sort_by: keys(count), columns: ['id'] });

    expect((await sorted(20)).status).toBe(200);
    expect(await sorted(21)).toMatchObject({
      status: 400,
      text: expect.stringContaining('sort_by'),
    });
  });
});

describe('an invalid query', () => {
  const dates = Array.from({ length: 1000 }, (_, i) => literal(i === 17 ? 'soon' : i));

  it.each([
    ['a bad date', { $gt: [field('started_at'), literal('soon')] }, '$gt.1.$literal'],
    ['a bad date on the left', { $gt: [literal('soon'), field('ended_at')] }, '$gt.0.$literal'],
    ['one bad date of a thousand', { $in: [field('started_at'), dates] }, '$in.1.17.$literal'],
    [
      'one bad date of a plain list',
      { $in: [field('started_at'), literal([0, 'soon'])] },
      '$in.1.1',
    ],
    ['a number for a text', { $eq: [field('op_name'), literal(5)] }, '$eq.1.$literal'],
    [
      'one number among texts',
      { $in: [field('op_name'), [literal('a'), literal(5)]] },
      '$in.1.1.$literal',
    ],
    ['a payload for a time', { $lt: [field('started_at'), field('inputs.k3')] }, '$lt.1.$getField'],
    [
      'deep inside',
      { $and: [{ $not: [{ $lte: [field('started_at'), literal({})] }] }] },
      '$and.0.$not.0.$lte.1.$literal',
    ],
  ])('is refused with the place of the wrong operand: %s', async (_, expr, place) => {
    const response = await stats(expr);

    expect(response.status).toBe(400);
    expect(response.json().reason.split(': ')[0]).toBe(`query.$expr.${place}`);
  });

  it('is refused when it is nested too deeply', async () => {
    const deep = Array.from({ length: 70 }).reduce<object>(
      (inner) => ({ $not: [inner] }),
      eq('id', 'x'),
    );

    const response = await stats(deep);

    expect(response).toMatchObject({ status: 413 });
    expect(response.json()).toMatchObject({
      error_code: 'body_too_complex',
      reason: expect.stringContaining('deeper than 64'),
    });
  });
});

describe('eight hundred malformed queries over HTTP', () => {
  it('are refused with 4xx and the place of the error', async () => {
    const isRefused = ($expr: unknown) => {
      try {
        callsQuery({ project_id, query: { $expr } }, new CallFields(project_id));
        return false;
      } catch {
        return true;
      }
    };
    const queries = fc.sample(malformed, { numRuns: 4000, seed: 20_260_301 }).filter(isRefused);
    expect(queries.length).toBeGreaterThan(800);

    const wrong: unknown[] = [];
    const waiting = queries.slice(0, 800);
    const client = async () => {
      for (let expr = waiting.pop(); expr !== undefined; expr = waiting.pop()) {
        const { status, text } = await stats(expr);
        const isExplained = [400, 413, 422].includes(status) && text.includes('query');
        if (!isExplained) wrong.push({ expr, status, text });
      }
    };
    await Promise.all([client(), client(), client(), client()]);

    expect(wrong).toEqual([]);
  });
});

describe('the explanation of a query', () => {
  it.each([
    ['call/read', { id: 'plain' }, 'FROM calls'],
    ['calls/query', {}, 'FROM calls'],
    ['calls/query_stats', { query: { $expr: eq('inputs.k3', 'v3') } }, 'leaf_s'],
    ['feedback/query', { query: { $expr: eq('payload.note', 'x') } }, 'FROM feedback'],
    ['cost/query', { query: { $expr: eq('llm_id', 'x') } }, 'FROM prices'],
    ['objs/query', {}, 'FROM objects'],
    ['table/query', { digest: 'x'.repeat(43) }, 'FROM table_positions'],
  ])('is returned by %s to a key that may only read', async (path, request, statement) => {
    const { key } = await server.post('/admin/keys/create', {
      user: 'bob',
      scope: project_id,
      role: 'read',
    });
    const send = (headers: Record<string, string>) =>
      server.send(`/${path}`, { project_id, ...request }, { key, headers });

    const { explain, ...response } = (await send({ 'x-heddle-explain': '1' })).json();

    expect(response).toEqual((await send({})).json());
    expect(explain.length).toBeGreaterThan(0);
    expect(explain.map(({ sql }: { sql: string }) => sql).join()).toContain(statement);
    for (const one of explain) {
      expect(one).toEqual({
        sql: expect.any(String),
        params: expect.any(Object),
        rows_read: expect.any(Number),
        bytes_read: expect.any(Number),
        elapsed_ms: expect.any(Number),
        indexes: expect.arrayContaining([expect.any(String)]),
      });
      expect(one.elapsed_ms).toBeGreaterThan(0);
    }
    const total = (what: 'rows_read' | 'bytes_read') =>
      explain.reduce((sum: number, one: Record<string, number>) => sum + one[what]!, 0);
    // A read of one call may end before a node of a cluster has reported what it has read.
    if (path.startsWith('calls/')) {
      expect(total('rows_read')).toBeGreaterThan(0);
      expect(total('bytes_read')).toBeGreaterThan(total('rows_read'));
    }
  });
});

it.each(['threads/stream_query', 'table/query_stream'])(
  'the explanation of a query is the last line of %s',
  async (path) => {
    const request = { project_id, digest: 'x'.repeat(43) };
    const response = await server.send(`/${path}`, request, {
      headers: { 'x-heddle-explain': '1' },
    });

    expect(response.json()).toEqual({
      explain: [expect.objectContaining({ indexes: expect.arrayContaining([expect.any(String)]) })],
    });
  },
);

describe('the direction of a sort', () => {
  it('is given as order or direction, and is required', async () => {
    const sorted = (key: object) =>
      server.send('/calls/query', { project_id, sort_by: [{ field: 'id', ...key }] });
    const ids = async (key: object) =>
      (await sorted(key)).json().calls.map(({ id }: { id: string }) => id);

    expect(await ids({ order: 'desc' })).toEqual(['plain', 'other', 'listed']);
    expect(await ids({ direction: 'desc' })).toEqual(['plain', 'other', 'listed']);
    expect(await ids({ order: 'asc' })).toEqual(['listed', 'other', 'plain']);
    expect(await sorted({ order: 'up' })).toMatchObject({ status: 422 });
    expect((await sorted({})).json()).toEqual({
      detail: [
        { loc: ['body', 'sort_by', 0, 'direction'], msg: 'Field required', type: 'missing' },
      ],
    });
  });
});
