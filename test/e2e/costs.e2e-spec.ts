import { aProject, sharedServer } from '../support/test-server.js';
import { endItem, startItem } from '../support/records.js';

const server = sharedServer();

const price = (fields: object = {}) => ({
  prompt_token_cost: 0.0000025,
  completion_token_cost: 1e-5,
  ...fields,
});
const create = (project_id: string, costs: object): Promise<{ ids: [string, string][] }> =>
  server.post('/cost/create', { project_id, costs });
const query = async (project_id: string, more: object = {}): Promise<any[]> =>
  (await server.post('/cost/query', { project_id, ...more })).results;
const getId = { $getField: 'id' };

describe('prices of a project, end to end', () => {
  it('can be read right after they were set, with exact decimals', async () => {
    const project_id = aProject();
    const { ids } = await create(project_id, {
      'gpt-x': price(),
      'my model': price({
        cache_read_input_token_cost: 0.000000000000000001,
        prompt_token_cost_unit: 'EUR',
        effective_date: '2026-01-01T00:00:00Z',
        provider_id: 'mine',
      }),
    });
    expect(ids).toEqual([
      ['gpt-x', expect.any(String)],
      ['my model', expect.any(String)],
    ]);
    expect(await query(project_id, { sort_by: [{ field: 'llm_id', direction: 'desc' }] })).toEqual([
      {
        id: ids[1]![1],
        llm_id: 'my model',
        prompt_token_cost: 0.0000025,
        completion_token_cost: 0.00001,
        cache_read_input_token_cost: 1e-18,
        cache_creation_input_token_cost: 0,
        prompt_token_cost_unit: 'EUR',
        completion_token_cost_unit: 'USD',
        effective_date: '2026-01-01T00:00:00.000000Z',
        provider_id: 'mine',
      },
      expect.objectContaining({ id: ids[0]![1], llm_id: 'gpt-x', provider_id: 'default' }),
    ]);
  });

  it('are found by the queries that clients send', async () => {
    const project_id = aProject();
    await create(project_id, { a: price(), b: price({ prompt_token_cost: 0.5 }) });
    const found = async (expr: object, more: object = {}) =>
      (await query(project_id, { query: { $expr: expr }, fields: ['llm_id'], ...more })).map(
        ({ llm_id }) => llm_id,
      );

    expect(await found({ $eq: [{ $literal: '1' }, { $literal: '1' }] })).toHaveLength(2);
    expect(await found({ $and: [{ $literal: 1 }, { $literal: 'x' }] })).toHaveLength(2);
    expect(await found({ $and: [{ $literal: 0 }] })).toEqual([]);
    expect(await found({ $eq: [{ $getField: 'llm_id' }, { $literal: 'b' }] })).toEqual(['b']);
    expect(
      await found({ $eq: [{ $getField: 'prompt_token_cost' }, { $literal: 0.0000025 }] }),
    ).toEqual(['a']);
    expect(
      await query(project_id, {
        fields: ['pricing_level', 'pricing_level_id', 'created_by'],
        limit: 1,
        offset: 1,
      }),
    ).toEqual([{ pricing_level: 'project', pricing_level_id: project_id, created_by: 'ann' }]);
  });

  it('are added without overwriting others, and each is purged by its id', async () => {
    const project_id = aProject();
    const first = await create(project_id, { a: price() });
    await create(project_id, { a: price() });
    await create(project_id, { b: price() });
    expect(await query(project_id)).toHaveLength(3);

    const ids = [{ $literal: first.ids[0]![1] }, { $literal: 'unknown' }];
    const purge = (expr: object) =>
      server.send('/cost/purge', { project_id, query: { $expr: expr } });
    expect((await purge({ $in: [getId, ids] })).json()).toEqual({});
    expect((await query(project_id)).map(({ llm_id }) => llm_id).sort()).toEqual(['a', 'b']);
    const all = await purge({ $eq: [{ $literal: '1' }, { $literal: '1' }] });
    expect(all.status).toBe(400);
    expect(await query(project_id)).toHaveLength(2);
    expect(await query(aProject())).toEqual([]);
  });

  it.each([
    [{ a: price({ prompt_token_cost: -1 }) }, 422, 'prompt_token_cost'],
    [{ a: price({ prompt_token_cost: '1' }) }, 422, 'prompt_token_cost'],
    [{ a: price({ prompt_token_cost: 1e7 }) }, 422, 'prompt_token_cost'],
    [{ a: { prompt_token_cost: 1 } }, 422, 'completion_token_cost'],
    [{ a: price({ effective_date: 'soon' }) }, 422, 'effective_date'],
    [{ a: price({ effective_date: '1950-01-01' }) }, 400, 'effective_date'],
    [{ '': price() }, 400, 'name'],
    [[], 422, 'costs'],
  ])('are refused with the reason: %j', async (costs, status, part) => {
    const project_id = aProject();
    const response = await server.send('/cost/create', { project_id, costs });
    expect({ status: response.status, text: response.text }).toEqual({
      status,
      text: expect.stringContaining(part),
    });
    expect(await query(project_id)).toEqual([]);
  });

  it.each([
    [{ fields: ['nope'] }, 400],
    [{ query: { $expr: { $eq: [{ $getField: 'nope' }, { $literal: 1 }] } } }, 400],
    [{ sort_by: [{ field: 'nope', direction: 'asc' }] }, 400],
    [{ limit: -1 }, 400],
  ])('are not found by an invalid query: %j', async (request, status) => {
    const project_id = aProject();
    const response = await server.send('/cost/query', { project_id, ...request });
    expect(response.status).toBe(status);
  });
});

describe('the cost of calls', () => {
  const send = async (project_id: string, id: string, usage: object, started_at: string) => {
    const batch = [
      startItem({ project_id, id, started_at }),
      endItem({ project_id, id, summary: { usage } }),
    ];
    await server.post('/call/upsert_batch', { batch });
  };
  const costs = async (project_id: string, id: string) =>
    (await server.post('/call/read', { project_id, id, include_costs: true })).call.summary.weave
      .costs;
  const used = { requests: 2, prompt_tokens: 6, completion_tokens: 8, total_tokens: 14 };

  it('is returned per model with the prices that were effective at the start, to the last decimal', async () => {
    const project_id = aProject();
    const since = (effective_date: string, prompt_token_cost: number) =>
      create(project_id, {
        'my-model': price({
          prompt_token_cost,
          completion_token_cost: 0.000015,
          cache_read_input_token_cost: 1e-18,
          effective_date,
        }),
      });
    const { ids } = await since('2026-01-01T00:00:00Z', 0.000005);
    await since('2026-02-01T00:00:00Z', 0.000007);
    const cached = { ...used, prompt_tokens_details: { cached_tokens: 2 } };
    await send(project_id, 'a', { 'my-model': cached, unknown: used }, '2026-01-15T00:00:00Z');
    await send(project_id, 'b', { 'my-model': used }, '2026-02-01T00:00:00Z');
    await send(project_id, 'c', { unknown: used }, '2026-02-01T00:00:00Z');

    expect(await costs(project_id, 'a')).toEqual({
      'my-model': {
        prompt_tokens: 6,
        completion_tokens: 8,
        requests: 2,
        total_tokens: 14,
        cache_read_input_tokens: 2,
        cache_creation_input_tokens: 0,
        prompt_token_cost: 0.000005,
        completion_token_cost: 0.000015,
        cache_read_input_token_cost: 1e-18,
        cache_creation_input_token_cost: 0,
        prompt_tokens_total_cost: 0.00002,
        completion_tokens_total_cost: 0.00012,
        cache_read_input_tokens_total_cost: 2e-18,
        cache_creation_input_tokens_total_cost: 0,
        prompt_token_cost_unit: 'USD',
        completion_token_cost_unit: 'USD',
        effective_date: '2026-01-01 00:00:00',
        provider_id: 'default',
        pricing_level: 'project',
        pricing_level_id: project_id,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        created_by: 'ann',
      },
    });
    expect((await costs(project_id, 'b'))['my-model'].prompt_tokens_total_cost).toBe(0.000042);
    expect(await costs(project_id, 'c')).toBeUndefined();
    const { text } = await server.send('/calls/query', { project_id, include_costs: true });
    expect(text).toContain('"cache_read_input_tokens_total_cost":0.000000000000000002,');

    const query = { $expr: { $eq: [getId, { $literal: ids[0]![1] }] } };
    await server.post('/cost/purge', { project_id, query });
    expect((await costs(project_id, 'a'))['my-model'].prompt_token_cost).toBe(0.000007);
  });

  it('is known for common models without a price of the project', async () => {
    const project_id = aProject();
    await send(project_id, 'a', { 'gpt-4o': used }, '2026-01-15T00:00:00Z');

    expect((await costs(project_id, 'a'))['gpt-4o']).toMatchObject({
      pricing_level: 'default',
      pricing_level_id: 'default',
      provider_id: 'openai',
      created_by: 'system',
      prompt_token_cost: 0.0000025,
    });
  });

  it('is never negative, and cached tokens are not subtracted where they were not counted', async () => {
    const project_id = aProject();
    await create(project_id, { m: price({ prompt_token_cost: 1, effective_date: '2026-01-01' }) });
    const apart = { input_tokens: 10, output_tokens: 0, cache_read_input_tokens: 50 };
    const within = { prompt_tokens: 10, completion_tokens: 0, cache_read_input_tokens: 50 };
    await send(project_id, 'apart', { m: apart }, '2026-01-15T00:00:00Z');
    await send(project_id, 'within', { m: within }, '2026-01-15T00:00:00Z');

    expect((await costs(project_id, 'apart')).m.prompt_tokens_total_cost).toBe(10);
    expect((await costs(project_id, 'within')).m.prompt_tokens_total_cost).toBe(0);
  });

  it('can be sorted and filtered by', async () => {
    const project_id = aProject();
    await create(project_id, { m: price({ prompt_token_cost: 1, effective_date: '2026-01-01' }) });
    for (const [i, prompt_tokens] of [5, 20, 10].entries()) {
      await send(project_id, `c${i}`, { m: { prompt_tokens } }, `2026-01-0${i + 2}T00:00:00Z`);
    }
    await send(project_id, 'none', {}, '2026-01-01T00:00:00Z');
    const ids = async (more: object) =>
      (await server.post('/calls/query', { project_id, ...more })).calls.map(({ id }: any) => id);
    const field = 'summary.weave.total_cost';

    expect(await ids({ sort_by: [{ field, direction: 'desc' }] })).toEqual([
      'c1',
      'c2',
      'c0',
      'none',
    ]);
    expect(await ids({ sort_by: [{ field, direction: 'asc' }], limit: 2 })).toEqual(['c0', 'c2']);
    const expensive = { $expr: { $gte: [{ $getField: field }, { $literal: 10 }] } };
    expect(await ids({ query: expensive })).toEqual(['c1', 'c2']);
    const { count } = await server.post('/calls/query_stats', { project_id, query: expensive });
    expect(count).toBe(2);
    const { results } = await server.post('/costs/report', { project_id, query: expensive });
    expect(results).toMatchObject([{ total_cost: 30, calls: 2 }]);
  });
});
