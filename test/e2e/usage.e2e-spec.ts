import { aProject, sharedServer } from '../support/test-server.js';
import { endItem, startItem } from '../support/records.js';

const server = sharedServer();

interface Sent {
  readonly id: string;
  readonly started_at?: string;
  readonly usage?: object;
  readonly ms?: number;
  readonly start?: object;
  readonly end?: object;
}

async function send(project_id: string, calls: readonly Sent[]): Promise<void> {
  const batch = calls.flatMap(
    ({ id, started_at = '2026-03-01T10:00:00Z', usage, ms = 1000, ...more }) => {
      const ended_at = new Date(Date.parse(started_at) + ms).toISOString();
      const summary = usage ? { usage } : {};
      return [
        startItem({ project_id, id, trace_id: 't', started_at, ...more.start }),
        endItem({ project_id, id, ended_at, summary, ...more.end }),
      ];
    },
  );
  await server.post('/call/upsert_batch', { batch });
}

const gpt = (prompt_tokens: number, completion_tokens: number) => ({
  gpt: { requests: 1, prompt_tokens, completion_tokens },
});
const setPrice = (
  project_id: string,
  prompt: number,
  completion: number,
  effective_date = '2026-01-01',
) =>
  server.post('/cost/create', {
    project_id,
    costs: {
      gpt: { prompt_token_cost: prompt, completion_token_cost: completion, effective_date },
    },
  });
const stats = (project_id: string, more: object) =>
  server.post('/calls/stats', {
    project_id,
    start: '2026-03-01T00:00:00Z',
    end: '2026-03-02T00:00:00Z',
    ...more,
  });

/** A root whose usage is the sum of its two children, as clients report it, and another call. */
async function family(project_id: string): Promise<void> {
  await send(project_id, [
    { id: 'root', usage: gpt(30, 3), start: { op_name: 'root' } },
    {
      id: 'kid1',
      usage: gpt(10, 1),
      started_at: '2026-03-01T10:00:01Z',
      start: { parent_id: 'root', op_name: 'kid' },
    },
    {
      id: 'kid2',
      usage: gpt(20, 2),
      started_at: '2026-03-01T10:00:02Z',
      start: { parent_id: 'root', op_name: 'kid' },
    },
    {
      id: 'other',
      usage: gpt(100, 0),
      started_at: '2026-03-01T22:30:00Z',
      start: { op_name: 'other', attributes: { team: 'blue' }, thread_id: 'th' },
    },
  ]);
}

describe('calls/stats', () => {
  it('sums tokens and costs per model, and fills empty buckets', async () => {
    const project_id = aProject();
    await setPrice(project_id, 0.1, 0.25);
    await family(project_id);
    const usage_metrics = [
      { metric: 'input_tokens', aggregations: ['sum', 'min', 'max', 'avg', 'count'] },
      { metric: 'total_cost' },
    ];
    const response = await stats(project_id, {
      usage_metrics,
      granularity: 12 * 3600,
      filter: { trace_roots_only: true },
    });
    expect(response).toEqual({
      start: '2026-03-01T00:00:00.000000Z',
      end: '2026-03-02T00:00:00.000000Z',
      granularity: 43200,
      timezone: 'UTC',
      usage_buckets: [
        {
          timestamp: '2026-03-01T00:00:00.000000Z',
          model: 'gpt',
          sum_input_tokens: 30,
          min_input_tokens: 30,
          max_input_tokens: 30,
          avg_input_tokens: 30,
          count_input_tokens: 1,
          sum_total_cost: 3.75,
          count: 1,
        },
        {
          timestamp: '2026-03-01T12:00:00.000000Z',
          model: 'gpt',
          sum_input_tokens: 100,
          min_input_tokens: 100,
          max_input_tokens: 100,
          avg_input_tokens: 100,
          count_input_tokens: 1,
          sum_total_cost: 10,
          count: 1,
        },
      ],
      call_buckets: [],
    });
    const narrow = await stats(project_id, { usage_metrics, granularity: 6 * 3600 });
    expect(narrow.usage_buckets).toHaveLength(4);
    expect(narrow.usage_buckets[0]).toMatchObject({
      sum_input_tokens: 0,
      min_input_tokens: null,
      sum_total_cost: 0,
      count: 0,
    });
  });

  it('counts no token twice with a usage scope or roots only', async () => {
    const project_id = aProject();
    await family(project_id);
    const sum = async (more: object) => {
      const usage_metrics = [{ metric: 'input_tokens' }];
      const { usage_buckets } = await stats(project_id, {
        usage_metrics,
        granularity: 86400,
        ...more,
      });
      return usage_buckets.map((one: any) => one.sum_input_tokens);
    };
    expect(await sum({ filter: { trace_roots_only: true } })).toEqual([130]);
    expect(await sum({ usage_scope: 'exclusive' })).toEqual([130]);
    expect(await sum({ usage_scope: 'exclusive', filter: { op_names: ['kid'] } })).toEqual([30]);
    expect(await sum({ usage_scope: 'exclusive', filter: { op_names: ['root'] } })).toEqual([0]);
    expect(await sum({})).toEqual([160]);
  });

  it('computes percentiles of latency and counts errors', async () => {
    const project_id = aProject();
    const calls = Array.from({ length: 100 }, (_, i) => ({
      id: `c${i}`,
      ms: (i + 1) * 10,
      ...(i < 3 ? { end: { exception: 'boom' } } : {}),
    }));
    await send(project_id, calls);
    const call_metrics = [
      { metric: 'latency_ms', percentiles: [50, 95, 99] },
      { metric: 'call_count' },
      { metric: 'error_count' },
    ];
    const { call_buckets } = await stats(project_id, { call_metrics, granularity: 86400 });
    expect(call_buckets).toEqual([
      {
        timestamp: '2026-03-01T00:00:00.000000Z',
        p50_latency_ms: 505,
        p95_latency_ms: 950.5,
        p99_latency_ms: 990.1,
        sum_call_count: 100,
        sum_error_count: 3,
        count: 100,
      },
    ]);
  });

  it('groups by bands of latency, and has the time to the first token where it is recorded', async () => {
    const project_id = aProject();
    await send(project_id, [
      {
        id: 'a',
        ms: 0,
        start: { attributes: { gen_ai: { server: { time_to_first_token: 0.25 } } } },
      },
      { id: 'b', ms: 199, start: { attributes: { time_to_first_token_ms: 750 } } },
      { id: 'c', ms: 200 },
      { id: 'd', ms: 9_999_999 },
    ]);
    const request = { granularity: 86400, call_metrics: [{ metric: 'call_count' }] };
    const { call_buckets } = await stats(project_id, { ...request, group_by: ['latency'] });
    expect(call_buckets.map((one: any) => [one.latency, one.count])).toEqual([
      ['0', 1],
      ['100', 1],
      ['200', 1],
      ['500000', 1],
    ]);
    const metric = 'time_to_first_token_ms';
    const first = { metric, aggregations: ['count'], percentiles: [50] };
    const { call_buckets: all } = await stats(project_id, { ...request, call_metrics: [first] });
    expect(all).toMatchObject([{ [`count_${metric}`]: 2, [`p50_${metric}`]: 500 }]);
    const { call_buckets: none } = await stats(project_id, {
      ...request,
      call_metrics: [first],
      filter: { call_ids: ['c'] },
    });
    expect(none).toMatchObject([{ [`count_${metric}`]: 0, [`p50_${metric}`]: null }]);
  });

  it('begins its days at midnight of the time zone, also when clocks change', async () => {
    const project_id = aProject();
    await send(project_id, [
      { id: 'a', started_at: '2026-03-28T22:59:59Z' },
      { id: 'b', started_at: '2026-03-28T23:00:00Z' },
      { id: 'c', started_at: '2026-03-29T21:59:59Z' },
      { id: 'd', started_at: '2026-03-29T22:00:00Z' },
    ]);
    const { call_buckets, granularity } = await stats(project_id, {
      start: '2026-03-27T23:00:00Z',
      end: '2026-03-30T22:00:00Z',
      granularity: 86400,
      timezone: 'Europe/Berlin',
      call_metrics: [{ metric: 'call_count' }],
    });
    expect(granularity).toBe(86400);
    expect(call_buckets.map((one: any) => [one.timestamp, one.count])).toEqual([
      ['2026-03-27T23:00:00.000000Z', 1],
      ['2026-03-28T23:00:00.000000Z', 2],
      ['2026-03-29T22:00:00.000000Z', 1],
    ]);
  });

  it.each([
    [{ start: '2026-01-01', end: '2026-03-01' }, 400, '31 days'],
    [{ start: '2026-03-02', end: '2026-03-01' }, 400, 'before start'],
    [{ timezone: 'Mars/Base' }, 400, 'Mars/Base'],
    [{ usage_metrics: [{ metric: 'love' }] }, 422, 'metric'],
    [{ call_metrics: [{ metric: 'latency_ms', percentiles: [101] }] }, 422, 'percentiles'],
    [{ call_metrics: [{ metric: 'latency_ms', aggregations: ['median'] }] }, 422, 'aggregations'],
    [{ granularity: 0 }, 400, 'granularity'],
  ])('refuses %j', async (more, status, part) => {
    const window = { start: '2026-03-01', end: '2026-03-02' };
    const response = await server.send('/calls/stats', {
      project_id: aProject(),
      ...window,
      ...more,
    });
    expect({ status: response.status, text: response.text }).toEqual({
      status,
      text: expect.stringContaining(part),
    });
  });
});

describe('trace/usage and calls/usage', () => {
  it('take the usage of a summary as the sum over its children', async () => {
    const project_id = aProject();
    await setPrice(project_id, 0.1, 0.25);
    await family(project_id);
    const running = startItem({ project_id, id: 'late', started_at: '2026-03-01T23:00:00Z' });
    await server.post('/call/upsert_batch', { batch: [running] });

    const all = await server.post('/trace/usage', { project_id, include_costs: true });
    expect(all.unfinished_call_ids).toEqual(['late']);
    expect(all.call_usage.root.gpt).toEqual({
      requests: 1,
      prompt_tokens: 30,
      completion_tokens: 3,
      total_tokens: 33,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      prompt_tokens_total_cost: 3,
      completion_tokens_total_cost: 0.75,
      cache_read_input_tokens_total_cost: 0,
      cache_creation_input_tokens_total_cost: 0,
    });
    const some = await server.post('/calls/usage', { project_id, call_ids: ['kid1', 'unknown'] });
    expect(some.call_usage).toEqual({
      kid1: { gpt: expect.objectContaining({ prompt_tokens: 10 }) },
      unknown: {},
    });
    expect(some.call_usage.kid1.gpt).not.toHaveProperty('prompt_tokens_total_cost');
  });

  it('name the descendants that have not ended, of the requested calls only', async () => {
    const project_id = aProject();
    const trace_id = 'one-trace';
    const running = (id: string, parent_id: string) =>
      startItem({ project_id, trace_id, id, parent_id });
    await send(project_id, [
      { id: 'top', start: { trace_id } },
      { id: 'mid', start: { trace_id, parent_id: 'top' } },
      { id: 'other', start: { trace_id } },
    ]);
    const batch = [running('leaf', 'mid'), running('elsewhere', 'other')];
    await server.post('/call/upsert_batch', { batch });

    const usage = (call_ids: string[]) => server.post('/calls/usage', { project_id, call_ids });
    expect(await usage(['top'])).toMatchObject({ unfinished_call_ids: ['leaf'] });
    expect(await usage(['leaf'])).toMatchObject({ unfinished_call_ids: ['leaf'] });
    expect((await usage(['top', 'other'])).unfinished_call_ids.sort()).toEqual([
      'elsewhere',
      'leaf',
    ]);
    expect(await usage(['unknown'])).toEqual({
      call_usage: { unknown: {} },
      unfinished_call_ids: [],
    });
  });

  it('add up the usage of OpenTelemetry spans', async () => {
    const project_id = aProject();
    const span = { otel_dump: { name: 'x' } };
    await send(project_id, [
      { id: 'top', start: span },
      { id: 'mid', usage: gpt(1, 0), start: { parent_id: 'top', ...span } },
      { id: 'leaf', usage: gpt(2, 0), start: { parent_id: 'mid', ...span } },
    ]);
    const { call_usage } = await server.post('/calls/usage', {
      project_id,
      call_ids: ['top', 'mid'],
    });
    expect(call_usage.top.gpt.prompt_tokens).toBe(3);
    expect(call_usage.mid.gpt.prompt_tokens).toBe(3);

    const usage_metrics = [{ metric: 'input_tokens' }];
    const filter = { trace_roots_only: true };
    const { usage_buckets } = await stats(project_id, {
      usage_metrics,
      filter,
      granularity: 86400,
    });
    expect(usage_buckets[0].sum_input_tokens).toBe(3);
  });
});

describe('costs/report', () => {
  const report = async (project_id: string, more: object) =>
    (await server.post('/costs/report', { project_id, ...more })).results;

  it('groups by the requested fields, and counts every token once', async () => {
    const project_id = aProject();
    await setPrice(project_id, 0.1, 0.25);
    await family(project_id);
    await send(project_id, [{ id: 'free', usage: { local: { prompt_tokens: 5 } } }]);

    expect(await report(project_id, { group_by: ['model'] })).toEqual([
      {
        model: 'gpt',
        calls: 2,
        requests: 2,
        uncached_input_tokens: 130,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
        output_tokens: 3,
        total_tokens: 133,
        total_cost: 13.75,
        unit: 'USD',
        pricing: 'full',
        unpriced_tokens: 0,
      },
      expect.objectContaining({
        model: 'local',
        total_tokens: 5,
        total_cost: null,
        unit: null,
        pricing: 'none',
        unpriced_tokens: 5,
      }),
    ]);
    const byOp = await report(project_id, {
      group_by: ['op'],
      usage_scope: 'exclusive',
      filter: { op_names: ['kid', 'root'] },
    });
    expect(
      byOp.map(({ op, total_tokens, total_cost }: any) => [op, total_tokens, total_cost]),
    ).toEqual([
      ['kid', 33, 3.75],
      ['root', 0, 0],
    ]);
    const byDay = await report(project_id, {
      group_by: ['day', 'attributes.team', 'thread', 'user'],
      timezone: 'Asia/Tokyo',
      query: {
        $expr: { $gt: [{ $getField: 'started_at' }, { $literal: '2026-03-01T12:00:00Z' }] },
      },
    });
    expect(byDay).toMatchObject([
      { day: '2026-03-02', attribute_1: 'blue', thread: 'th', user: 'ann', total_cost: 10 },
    ]);
    const hour = await report(project_id, { group_by: ['hour', 'model'], limit: 1 });
    expect(hour).toMatchObject([{ hour: '2026-03-01T10:00', model: 'gpt', calls: 1 }]);
    expect(await report(project_id, { group_by: [], end: '2026-03-01' })).toEqual([]);
  });

  it('reports the current state of calls: no deleted calls and no replaced values', async () => {
    const project_id = aProject();
    await setPrice(project_id, 0.1, 0.25);
    const usage = { gpt: { prompt_tokens: 10 } };
    await send(project_id, [
      { id: 'stays', usage },
      { id: 'goes', usage },
      { id: 'moves', usage },
    ]);
    const plain = { group_by: ['model', 'day'] };
    expect(await report(project_id, plain)).toMatchObject([{ calls: 3, total_cost: 3 }]);

    await server.post('/calls/delete', { project_id, call_ids: ['goes'] });
    const summary = { usage: { other: { prompt_tokens: 7 } } };
    await server.post('/call/end', { end: endItem({ project_id, id: 'moves', summary }).req.end });
    const now = await report(project_id, plain);
    expect(now.map(({ model, calls, total_tokens }: any) => [model, calls, total_tokens])).toEqual([
      ['gpt', 1, 10],
      ['other', 1, 7],
    ]);
    // This report reads the calls instead of `root_usage`.
    const byTrace = await report(project_id, { group_by: ['model', 'status'] });
    expect(byTrace.map(({ total_tokens }: any) => total_tokens)).toEqual([10, 7]);
  });

  it('does not sum different currencies', async () => {
    const project_id = aProject();
    const price = { prompt_token_cost: 1, completion_token_cost: 1, effective_date: '2026-01-01' };
    const euro = { prompt_token_cost_unit: 'EUR', completion_token_cost_unit: 'EUR' };
    await server.post('/cost/create', {
      project_id,
      costs: { a: price, b: { ...price, ...euro } },
    });
    const usage = { a: { prompt_tokens: 1 }, b: { prompt_tokens: 2 } };
    await send(project_id, [{ id: 'c', usage }]);
    const rows = await report(project_id, { group_by: ['day'] });
    expect(rows.map((row: any) => [row.unit, row.total_cost])).toEqual([
      ['EUR', 2],
      ['USD', 1],
    ]);
  });

  it('is available as CSV and as Parquet', async () => {
    const project_id = aProject();
    await setPrice(project_id, 0.1, 0.25);
    await family(project_id);
    const send = (format: string) =>
      server.send('/costs/report', { project_id, format, group_by: ['day', 'model'] });

    const csv = await send('csv');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.text.trim().split('\n')).toEqual([
      '"day","model","calls","requests","uncached_input_tokens","cache_read_input_tokens","cache_creation_input_tokens","output_tokens","total_tokens","total_cost","unit","pricing","unpriced_tokens"',
      '"2026-03-01","gpt",2,2,130,0,0,3,133,13.75,"USD","full",0',
    ]);
    const parquet = await send('parquet');
    expect(parquet.headers.get('content-type')).toContain('parquet');
    expect([parquet.text.slice(0, 4), parquet.text.slice(-4)]).toEqual(['PAR1', 'PAR1']);
    const accepted = await server.send(
      '/costs/report',
      { project_id, group_by: ['day', 'model'] },
      { headers: { accept: 'text/csv' } },
    );
    expect(accepted.text).toBe(csv.text);
  });

  it('has one row for a group with and without prices, which says so, and empty fields in CSV', async () => {
    const project_id = aProject();
    await setPrice(project_id, 0.1, 0.25);
    await send(project_id, [
      { id: 'mixed', usage: { gpt: { prompt_tokens: 10 }, local: { prompt_tokens: 4 } } },
      { id: 'local', usage: { local: { prompt_tokens: 5 } }, start: { op_name: 'own' } },
      { id: 'none', start: { op_name: 'plain' } },
    ]);
    const request = { group_by: ['op'], include_calls_without_usage: true };
    const rows = await report(project_id, request);
    expect(
      rows.map((row: any) => [row.op, row.calls, row.total_cost, row.pricing, row.unpriced_tokens]),
    ).toEqual([
      ['own', 1, null, 'none', 5],
      ['plain', 1, null, 'unused', 0],
      [expect.any(String), 1, 1, 'partial', 4],
    ]);
    const exclusive = await report(project_id, { ...request, usage_scope: 'exclusive' });
    expect(exclusive).toEqual(rows);
    expect(await report(project_id, { group_by: ['op'] })).toHaveLength(2);
    const csv = await server.send('/costs/report', { project_id, ...request, format: 'csv' });
    expect(csv.text.split('\n')[1]).toBe('"own",1,0,5,0,0,0,5,,,"none",5');
  });

  it.each([
    [{ group_by: ['colour'] }, 400, 'colour'],
    [{ group_by: ['model', 'model'] }, 400, 'twice'],
    [{ group_by: ['started_at.x'] }, 422, 'started_at.x'],
    [{ format: 'xml' }, 422, 'format'],
    [{ timezone: 'x' }, 400, 'time zone'],
    [{ start: '2026-03-02', end: '2026-03-01' }, 400, 'before start'],
    [{ query: { $expr: { $eq: [{ $getField: 'nope' }, { $literal: 1 }] } } }, 422, 'nope'],
  ])('refuses %j', async (more, status, part) => {
    const response = await server.send('/costs/report', { project_id: aProject(), ...more });
    expect({ status: response.status, text: response.text }).toEqual({
      status,
      text: expect.stringContaining(part),
    });
  });
});

describe('calls/export', () => {
  it('writes Parquet, with any name of a column and every order', async () => {
    const project_id = aProject();
    await family(project_id);
    const response = await server.send('/calls/export', {
      project_id,
      format: 'parquet',
      columns: ['id', 'started_at', 'attributes.a`b"c', 'output.x y', 'input_refs'],
      sort_by: [{ field: 'op_name', direction: 'desc' }],
    });

    expect(response.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    expect([response.text.slice(0, 4), response.text.slice(-4)]).toEqual(['PAR1', 'PAR1']);
    expect(response.text).toContain('attributes.a`b"c');
  });

  it('counts the feedback of each call', async () => {
    const project_id = aProject();
    const body = { project_id, format: 'csv', columns: ['id', 'feedback'] };
    await send(project_id, [{ id: 'quiet' }, { id: 'loud' }]);
    expect((await server.send('/calls/export', body)).text).toContain('"quiet",0');
    const thumb = {
      project_id,
      weave_ref: `weave:///${project_id}/call/loud`,
      feedback_type: 'wandb.reaction.1',
      payload: { emoji: '👍' },
    };
    await server.post('/feedback/create', thumb);
    await server.post('/feedback/create', thumb);

    const { text } = await server.send('/calls/export', body);
    expect(text.trim().split('\n').sort()).toEqual(['"id","feedback"', '"loud",2', '"quiet",0']);
  });

  it.each([
    [{ columns: ['nope'] }, 422, 'nope'],
    [{ columns: ['feedback.payload'] }, 422, 'feedback.payload'],
    [{ columns: [] }, 400, 'column'],
    [{ columns: Array.from({ length: 101 }, (_, i) => `inputs.x${i}`) }, 400, '100 columns'],
    [{ format: 'xml' }, 422, 'format'],
  ])('refuses %j', async (more, status, part) => {
    const body = { project_id: aProject(), format: 'csv', ...more };
    const response = await server.send('/calls/export', body);
    expect({ status: response.status, text: response.text }).toEqual({
      status,
      text: expect.stringContaining(part),
    });
  });
});

describe('threads and projects', () => {
  it('aggregate threads by their turns', async () => {
    const project_id = aProject();
    const turn = (id: string, thread_id: string, started_at: string, ms: number): Sent => ({
      id,
      started_at,
      ms,
      start: { thread_id, turn_id: id },
    });
    await send(project_id, [
      turn('a1', 'a', '2026-03-01T10:00:00Z', 1000),
      turn('a2', 'a', '2026-03-01T11:00:00Z', 3000),
      turn('b1', 'b', '2026-03-01T12:00:00Z', 500),
      { id: 'inner', start: { thread_id: 'a', turn_id: 'a1', parent_id: 'a1' } },
    ]);
    const threads = async (more: object = {}) => {
      const { text } = await server.send('/threads/stream_query', { project_id, ...more });
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    };
    expect(await threads()).toEqual([
      expect.objectContaining({ thread_id: 'b', turn_count: 1 }),
      {
        thread_id: 'a',
        turn_count: 2,
        start_time: '2026-03-01T10:00:00.000000Z',
        last_updated: '2026-03-01T11:00:03.000000Z',
        first_turn_id: 'a1',
        last_turn_id: 'a2',
        p50_turn_duration_ms: 2000,
        p99_turn_duration_ms: 2980,
      },
    ]);
    const sort_by = [{ field: 'turn_count', direction: 'desc' }];
    expect(await threads({ sort_by, limit: 1 })).toMatchObject([{ thread_id: 'a' }]);
    const filter = { after_datetime: '2026-03-01T11:30:00Z', thread_ids: ['a', 'b'] };
    expect(await threads({ filter })).toMatchObject([{ thread_id: 'b' }]);
    expect(await threads({ filter: { thread_ids: ['none'] } })).toEqual([]);
    const bad = { project_id, sort_by: [{ field: 'colour', direction: 'asc' }] };
    expect((await server.send('/threads/stream_query', bad)).status).toBe(400);
  });

  it('report the size of a project', async () => {
    const project_id = aProject();
    await send(project_id, [{ id: 'a', start: { inputs: { text: 'x'.repeat(100) } } }]);
    await server.post('/obj/create', { obj: { project_id, object_id: 'o', val: { a: 1 } } });
    await server.post('/table/create', { table: { project_id, rows: [{ a: 1 }, { a: 2 }] } });

    const sizes = await server.post('/project/stats', {
      project_id,
      include_file_storage_size: false,
    });
    expect(sizes).toEqual({
      trace_storage_size_bytes: expect.any(Number),
      objects_storage_size_bytes: 7,
      tables_storage_size_bytes: 14,
      files_storage_size_bytes: null,
    });
    expect(sizes.trace_storage_size_bytes).toBeGreaterThan(100);
  });
});
