import { aProject, sharedServer } from '../support/test-server.js';
import { startItem } from '../support/records.js';

const server = sharedServer();
const project_id = aProject();

const publish = async (object_id: string, val: unknown): Promise<string> => {
  const obj = { project_id, object_id, val };
  return `weave:///${project_id}/object/${object_id}:${(await server.post('/obj/create', { obj })).digest}`;
};
const field = ($getField: string) => ({ $getField });
const literal = ($literal: unknown) => ({ $literal });
const query = async (body: object): Promise<any[]> =>
  (await server.post('/calls/query', { project_id, ...body })).calls;
const ids = (calls: { id: string }[]) => calls.map(({ id }) => id);

let refs: Record<'prompt' | 'warm' | 'cold' | 'gone' | 'row', string>;

beforeAll(async () => {
  const prompt = await publish('prompt', { text: 'be kind', n: 1 });
  const warm = await publish('warm', { temperature: 0.9, prompt });
  const cold = await publish('cold', { temperature: 0.1, prompt });
  const gone = await publish('gone', { temperature: 5 });
  const table = await server.post('/table/create', {
    table: { project_id, rows: [{ text: 'why?' }, { text: 'how?' }] },
  });
  const dataset = await publish('dataset', {
    rows: `weave:///${project_id}/table/${table.digest}`,
  });
  const row = `${dataset}/attr/rows/id/${table.row_digests[1]}`;
  refs = { prompt, warm, cold, gone, row };
  const inputs: [string, object][] = [
    ['c1', { model: warm, row }],
    ['c2', { model: cold }],
    ['c3', { model: { temperature: 0.5, prompt } }],
    ['c4', { model: gone }],
    ['c5', { model: `${dataset}/attr/rows/index/0` }],
    ['c6', {}],
  ];
  const batch = inputs.map(([id, given], i) => {
    const started_at = new Date(Date.UTC(2026, 2, 1, 10, 0, i)).toISOString();
    return startItem({ project_id, id, started_at, inputs: given });
  });
  await server.post('/call/upsert_batch', { batch });
  await server.post('/obj/delete', { project_id, object_id: 'gone' });
});

describe('refs inside calls', () => {
  it('are replaced by their values, shallow columns first', async () => {
    const calls = await query({ expand_columns: ['inputs.model.prompt', 'inputs.model'] });
    const { prompt, warm, cold, gone } = refs;
    const expanded = { text: 'be kind', n: 1, _ref: prompt };
    expect(calls.map(({ inputs }) => inputs.model)).toEqual([
      { temperature: 0.9, prompt: expanded, _ref: warm },
      { temperature: 0.1, prompt: expanded, _ref: cold },
      { temperature: 0.5, prompt: expanded },
      gone,
      expect.stringMatching(/index\/0$/),
      undefined,
    ]);
  });

  it('are replaced in a stream, also refs to rows of datasets', async () => {
    const body = { project_id, filter: { call_ids: ['c1'] }, expand_columns: ['inputs.row'] };
    const { text } = await server.send('/calls/stream_query', body);
    expect(JSON.parse(text).inputs).toEqual({
      model: refs.warm,
      row: { text: 'how?', _ref: refs.row },
    });
  });

  it('are not replaced when return_expanded_column_values is false', async () => {
    const [call] = await query({
      filter: { call_ids: ['c1'] },
      expand_columns: ['inputs.model'],
      return_expanded_column_values: false,
    });
    expect(call.inputs.model).toBe(refs.warm);
  });

  it('are followed by conditions, which also apply to calls with the value itself', async () => {
    const expand_columns = ['inputs.model', 'inputs.model.prompt', 'inputs.row'];
    const matching = async ($expr: object) =>
      ids(await query({ expand_columns, query: { $expr }, return_expanded_column_values: false }));
    const temperature = field('inputs.model.temperature');

    expect(await matching({ $gt: [temperature, literal(0.3)] })).toEqual(['c1', 'c3']);
    expect(await matching({ $not: [{ $gt: [temperature, literal(0.3)] }] })).toEqual(['c2']);
    expect(await matching({ $eq: [temperature, literal(null)] })).toEqual(['c4', 'c5', 'c6']);
    expect(
      await matching({
        $contains: { input: field('inputs.model.prompt.text'), substr: literal('kind') },
      }),
    ).toEqual(['c1', 'c2', 'c3']);
    expect(
      await matching({ $in: [field('inputs.row.text'), [literal('how?'), literal('when?')]] }),
    ).toEqual(['c1']);
    expect(
      await matching({
        $and: [
          { $eq: [field('inputs.model'), literal(refs.cold)] },
          { $lt: [temperature, literal(1)] },
        ],
      }),
    ).toEqual(['c2']);
    const $expr = { $gt: [temperature, literal(0.3)] };
    expect(
      await server.post('/calls/query_stats', { project_id, expand_columns, query: { $expr } }),
    ).toMatchObject({ count: 2 });
  });

  it('are not followed unless their column is expanded', async () => {
    const $expr = { $gt: [field('inputs.model.temperature'), literal(0.3)] };
    expect(ids(await query({ query: { $expr } }))).toEqual(['c3']);
    const behind = { $eq: [field('inputs.model.prompt.text'), literal('be kind')] };
    expect(
      ids(await query({ query: { $expr: behind }, expand_columns: ['inputs.model'] })),
    ).toEqual([]);
  });

  it('may be absent from the column of a condition', async () => {
    const $expr = { $eq: [field('output.model.temperature'), literal(1)] };
    expect(await query({ query: { $expr }, expand_columns: ['output.model'] })).toEqual([]);
  });

  it('are followed by a sort', async () => {
    const sort_by = [{ field: 'inputs.model.temperature', direction: 'desc' }];
    const sorted = await query({ sort_by, expand_columns: ['inputs.model'], limit: 3 });
    expect(ids(sorted)).toEqual(['c1', 'c3', 'c2']);
  });

  it('can be expanded in payloads only', async () => {
    const response = await server.send('/calls/query', {
      project_id,
      expand_columns: ['op_name.x'],
    });
    expect([response.status, response.text]).toEqual([
      422,
      expect.stringMatching(/op_name\.x.*inputs/),
    ]);
  });

  it('are neither replaced nor followed when the caller may not read their project', async () => {
    const [mine, other] = [aProject(), aProject()];
    const obj = { project_id: other, object_id: 'secret', val: { temperature: 0.7 } };
    const { digest } = await server.post('/obj/create', { obj });
    const model = `weave:///${other}/object/secret:${digest}`;
    const start = startItem({ project_id: mine, id: 'c', inputs: { model } });
    await server.post('/call/upsert_batch', { batch: [start] });
    const request = { user: 'bob', scope: mine, role: 'read' };
    const { key } = await server.post('/admin/keys/create', request);
    const send = async (more: object, as: string) => {
      const body = { project_id: mine, expand_columns: ['inputs.model'], ...more };
      const response = await server.send('/calls/query', body, { key: as });
      expect(response.status).toBe(200);
      return response.json().calls.map(({ inputs }: any) => inputs.model);
    };
    const warm = { query: { $expr: { $gt: [field('inputs.model.temperature'), literal(0)] } } };

    expect(await send({}, server.key)).toEqual([{ temperature: 0.7, _ref: model }]);
    expect(await send(warm, server.key)).toHaveLength(1);
    expect(await send({}, key)).toEqual([model]);
    expect(await send(warm, key)).toEqual([]);
    const cold = { query: { $expr: { $not: [warm.query.$expr] } } };
    expect(await send(cold, key)).toEqual([]);
  });

  it('are replaced up to the bytes of one response, however many calls contain the same ref', async () => {
    const project_id = aProject();
    const obj = { project_id, object_id: 'large', val: { text: 'x'.repeat(8 * 1024 ** 2) } };
    const { digest } = await server.post('/obj/create', { obj });
    const model = `weave:///${project_id}/object/large:${digest}`;
    const batch = Array.from({ length: 250 }, (_, i) =>
      startItem({ project_id, id: `c${i}`, inputs: { model } }),
    );
    await server.post('/call/upsert_batch', { batch });
    const send = (limit?: number) => {
      const body = { project_id, limit, expand_columns: ['inputs.model'] };
      return server.send('/calls/stream_query', body);
    };

    const few = (await send(2)).text.trimEnd().split('\n');
    expect(few.map((line) => JSON.parse(line).inputs.model._ref)).toEqual([model, model]);
    const all = await send();
    expect([all.status, all.text]).toEqual([413, expect.stringContaining('134217728 bytes')]);
  });

  it('are followed by a condition up to ten thousand different refs', async () => {
    const project_id = aProject();
    const batch = Array.from({ length: 10_001 }, (_, i) =>
      startItem({
        project_id,
        id: `c${i}`,
        inputs: { model: `weave:///${project_id}/object/m:${i}` },
      }),
    );
    await server.post('/call/upsert_batch', { batch });
    const send = (more: object) =>
      server.send('/calls/query', {
        project_id,
        expand_columns: ['inputs.model'],
        limit: 1,
        query: { $expr: { $gt: [field('inputs.model.temperature'), literal(0)] } },
        ...more,
      });
    const response = await send({});
    expect([response.status, response.text]).toEqual([413, expect.stringContaining('10000')]);
    const fewer = await send({ filter: { call_ids: ['c1', 'c2'] } });
    expect([fewer.status, fewer.json().calls]).toEqual([200, []]);
  });
});
