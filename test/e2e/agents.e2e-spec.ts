import { aProject, sharedServer } from '../support/test-server.js';
import { aSpan, spanAttributes } from '../support/records.js';

const server = sharedServer();

type Attributes = Parameters<typeof spanAttributes>[0];

const START = 1_772_359_200n;
const at = (second: number) => `${START + BigInt(second)}000000000`;

/** A request to a model that starts at a second and takes one. */
const aRequest = (second: number, attributes: Attributes, fields: object = {}) =>
  aSpan({
    ...{ name: 'chat', startTimeUnixNano: at(second), endTimeUnixNano: at(second + 1) },
    attributes: spanAttributes({ 'gen_ai.operation.name': 'chat', ...attributes }),
    ...fields,
  });

const text = (role: string, content: string) =>
  JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

async function sent(spans: readonly object[]): Promise<string> {
  const project_id = aProject();
  const body = { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] };
  await server.send('/agents/otel/v1/traces', body, { headers: { project_id } });
  return project_id;
}

const BY_CONVERSATION = [{ source: 'field', key: 'conversation_id' }];
const tokens = (aggregation: string) => ({
  ...{ alias: 'tokens', aggregation, value: { source: 'field', key: 'usage.input_tokens' } },
});

/** Conversations with one, two and three spans: 10, 20 and 30 tokens each. */
const conversations = () =>
  ['one', 'two', 'three'].flatMap((name, i) =>
    Array.from({ length: i + 1 }, (_, n) =>
      aRequest(10 * i + n, {
        'gen_ai.conversation.id': name,
        'gen_ai.usage.input_tokens': 10 * (i + 1),
        'gen_ai.input.messages': text('user', ` hello ${n} of ${name} `),
        'gen_ai.output.messages': text('assistant', `reply ${n} of ${name}`),
        ...(n === 0 ? { tier: name === 'one' ? 'free' : 'paid', score: 0.5 + i } : {}),
        ...(n === 1 ? { tier: 'paid', score: 10.5 } : {}),
        ...(n === 2 ? { tier: 'test' } : {}),
      }),
    ),
  );

describe('groups of spans', () => {
  let project_id: string;
  beforeAll(async () => (project_id = await sent(conversations())));

  const groups = async (more: object) =>
    server.post('/agents/spans/query', { project_id, group_by: BY_CONVERSATION, ...more });
  const names = ({ groups: found }: { groups: any[] }) =>
    found.map(({ group_keys }) => group_keys.conversation_id).sort();

  it('are those of which the measures are in the ranges', async () => {
    const filter = (measure: object, range: object) => ({ measure, ...range });
    const sum = (range: object) => ({ group_filters: [filter(tokens('sum'), range)] });
    const last = { alias: 'last', aggregation: 'max', value: { key: 'started_at' } };

    const many = await groups(sum({ min: 40 }));
    expect([names(many), many.total_count]).toEqual([['three', 'two'], 2]);
    expect(names(await groups(sum({ min: 40, max: 40 })))).toEqual(['two']);
    expect(names(await groups(sum({ max: 9 })))).toEqual([]);
    const both = [filter(tokens('sum'), { min: 40 }), filter(tokens('max'), { max: 20 })];
    expect(names(await groups({ group_filters: both }))).toEqual(['two']);
    const until = filter(last, { max: '2026-03-01T10:00:00Z' });
    expect(names(await groups({ group_filters: [until] }))).toEqual(['one']);
    const count = { alias: 'n', aggregation: 'count' };
    const spans = await server.post('/agents/spans/query', {
      ...{ project_id, group_filters: [{ group_by: BY_CONVERSATION, measure: count, min: 3 }] },
    });
    expect([spans.spans.length, spans.total_count]).toEqual([3, 3]);
  });

  it('show how the values of attributes are distributed in each', async () => {
    const [three, ...others] = (
      await groups({
        sort_by: [{ field: 'span_count', direction: 'desc' }],
        group_distributions: [
          { alias: 'tiers', value: { source: 'custom_attrs_string', key: 'tier' }, top_n: 1 },
          { alias: 'scores', value: { source: 'custom_attrs_float', key: 'score' }, bins: 2 },
          { alias: 'none', value: { source: 'custom_attrs_bool', key: 'none' } },
        ],
      })
    ).groups;

    expect(three.distributions).toEqual({
      tiers: {
        ...{ alias: 'tiers', source: 'custom_attrs_string', key: 'tier', value_type: 'string' },
        ...{ total_count: 3, present_count: 3, missing_count: 0, other_count: 1, bins: [] },
        values: [{ value: 'paid', count: 2 }],
      },
      scores: {
        ...{ alias: 'scores', source: 'custom_attrs_float', key: 'score', value_type: 'float' },
        ...{ total_count: 3, present_count: 2, missing_count: 1, other_count: 0, values: [] },
        bins: [
          { index: 0, min: 2.5, max: 6.5, count: 1 },
          { index: 1, min: 6.5, max: 10.5, count: 1 },
        ],
      },
      none: {
        ...{ alias: 'none', source: 'custom_attrs_bool', key: 'none', value_type: 'bool' },
        ...{ total_count: 3, present_count: 0, missing_count: 3, other_count: 0 },
        ...{ bins: [], values: [] },
      },
    });
    expect(others[1].distributions.scores.bins).toEqual([
      { index: 0, min: 0.5, max: 0.5, count: 1 },
    ]);
  });

  it('of conversations begin with the first message and end with the last', async () => {
    const { groups: found } = await groups({});
    const two = found.find(({ group_keys }: any) => group_keys.conversation_id === 'two');

    expect(two.first_message).toEqual({ role: 'user_message', text: 'hello 0 of two' });
    expect(two.last_message).toEqual({ role: 'assistant_message', text: 'reply 1 of two' });
  });

  it('are refused with a sentence when they cannot be made', async () => {
    const refusal = async (body: object) => {
      const response = await server.send('/agents/spans/query', { project_id, ...body });
      return [response.status, JSON.stringify(response.json())];
    };
    const by = { group_by: BY_CONVERSATION };
    const distribution = { alias: 'a', value: { source: 'custom_attrs_string', key: 'tier' } };

    for (const [body, status, sentence] of [
      [{ group_filters: [{ measure: tokens('sum'), min: 1 }] }, 400, 'needs group_by'],
      [{ ...by, group_filters: [{ measure: tokens('sum') }] }, 400, 'min or max is missing'],
      [{ ...by, group_filters: [{ min: 1 }] }, 422, 'measure'],
      [{ ...by, group_filters: [{ measure: tokens('sum'), min: 'x' }] }, 422, 'number or a date'],
      [
        { ...by, group_filters: [{ measure: tokens('sum'), min: '2026-03-01T10:00:00Z' }] },
        400,
        'needs a number',
      ],
      [{ group_distributions: [distribution] }, 400, 'need group_by'],
      [{ ...by, group_distributions: [distribution, distribution] }, 400, 'is there twice'],
      [
        { ...by, group_distributions: [{ alias: 'a', value: { key: 'agent_name' } }] },
        422,
        'source',
      ],
      [{ ...by, signal_filters: { tags: ['good'] } }, 422, 'not supported'],
    ] as const) {
      const [found, said] = await refusal(body);
      expect([found, said]).toEqual([status, expect.stringContaining(sentence)]);
    }
  });
});

describe('statistics of spans', () => {
  const range = { start: '2026-03-01T10:00:00Z', end: '2026-03-01T11:00:00Z' };
  const metrics = [
    {
      ...{ alias: 'spans', value_type: 'boolean', aggregations: ['count'] },
      value: { source: 'derived', key: 'is_error' },
    },
  ];

  it('count spans in buckets of a number, with the greatest in the last', async () => {
    const values = [0, 5, 12, 18, 35, 38, 40];
    const project_id = await sent(
      values.map((n, i) =>
        aRequest(i, n === 0 ? { score: 1 } : { 'gen_ai.usage.input_tokens': n, score: 1 }),
      ),
    );
    const buckets = (more: object) =>
      server.post('/agents/spans/stats', {
        ...{ project_id, ...range, metrics },
        bucket_by: { type: 'number', value: { key: 'usage.input_tokens' }, bins: 4, ...more },
      });

    const { bucket_type, granularity, columns, rows } = await buckets({});
    expect([bucket_type, granularity]).toEqual(['number', null]);
    expect(columns.map(({ name, role }: any) => [name, role])).toEqual([
      ...['bucket_index', 'bucket_min', 'bucket_max'].map((name) => [name, 'bucket']),
      ...['count_spans', 'count'].map((name) => [name, 'metric']),
    ]);
    expect(rows).toEqual(
      [2, 2, 0, 3].map((count, i) => ({
        ...{ bucket_index: i, bucket_min: 10 * i, bucket_max: 10 * i + 10 },
        ...{ count_spans: count, count },
      })),
    );
    const counts = async (more: object) =>
      (await buckets(more)).rows.map(({ count }: any) => count);
    expect(await counts({ min: 10, max: 20, bins: 2 })).toEqual([1, 1]);
    expect(await counts({ min: 100, max: 100 })).toEqual([0]);
    expect(await counts({ min: 100 })).toEqual([]);
    expect(await counts({ value: { source: 'custom_attrs_int', key: 'unset' } })).toEqual([]);
  });

  it('count groups by a measure, and spans of groups that a filter selects', async () => {
    const project_id = await sent(conversations());
    const stats = (more: object) =>
      server.post('/agents/spans/stats', { project_id, ...range, metrics: [], ...more });
    const measured = { type: 'number', group_by: BY_CONVERSATION, measure: tokens('sum'), bins: 2 };
    const filter = { group_by: BY_CONVERSATION, measure: tokens('sum'), min: 40 };
    const count = ({ rows }: { rows: any[] }) => rows.map((row) => row.count);

    expect(count(await stats({ bucket_by: measured }))).toEqual([2, 1]);
    expect(count(await stats({ bucket_by: measured, group_filters: [filter] }))).toEqual([1, 1]);
    expect(count(await stats({ metrics, granularity: 3600, group_filters: [filter] }))).toEqual([
      5,
    ]);
    for (const bucket_by of [
      { type: 'number' },
      { type: 'number', value: { key: 'agent_name' } },
      { ...measured, value: { key: 'duration_ms' } },
      { type: 'number', group_by: BY_CONVERSATION },
      { type: 'number', value: { key: 'duration_ms' }, min: 2, max: 1 },
    ]) {
      const body = { project_id, ...range, metrics: [], bucket_by };
      expect((await server.send('/agents/spans/stats', body)).status).toBe(400);
    }
  });
});

describe('feedback on agents', () => {
  it('is shown with the turn, the conversation and the span that it is about', async () => {
    const id = "it's #1 (100%)/é";
    const spans = [0, 1].map((second) =>
      aRequest(second, {
        'gen_ai.conversation.id': id,
        'gen_ai.input.messages': text('user', `hello ${second}`),
      }),
    );
    const project_id = await sent(spans);
    const [first, second] = spans as [(typeof spans)[0], (typeof spans)[0]];
    const ref = (kind: string, of: string) => `weave:///${project_id}/${kind}/${of}`;
    const give = (weave_ref: string, tag: string) =>
      server.post('/feedback/create', {
        ...{ project_id, weave_ref, feedback_type: 'wandb.agent_user_feedback', payload: {} },
        ...{ scorer_tags: [tag], scorer_ratings: { [`${tag}-rating`]: 0.5 } },
        scorer_rating_reasons: { [`${tag}-rating`]: 'because' },
      });
    await give(ref('agent_turn', first.traceId), 'turn');
    // As Python encodes it.
    const encoded = encodeURIComponent(id).replace(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    );
    await give(ref('agent_conversation', encoded), 'conversation');
    await give(ref('agent_span', second.spanId), 'span');
    await give(ref('agent_turn', 'another'), 'other');

    const chat = (more: object) =>
      server.post('/agents/conversations/chat', { project_id, conversation_id: id, ...more });
    const tags = (feedback: any[]) => feedback.map(({ scorer_tags }) => scorer_tags[0]);
    const found = await chat({ include_feedback: true });
    expect(tags(found.feedback)).toEqual(['conversation']);
    expect(found.turns.map(({ feedback }: any) => tags(feedback))).toEqual([['turn'], []]);
    expect(
      found.turns.flatMap(({ messages }: any) => messages.map((one: any) => tags(one.feedback))),
    ).toEqual([[], ['span']]);
    const turn = await server.post('/agents/traces/chat', {
      ...{ project_id, trace_id: first.traceId, include_feedback: true },
    });
    expect(turn.feedback).toMatchObject([
      { wb_user_id: 'ann', scorer_tags: ['turn'], payload: {} },
    ]);
    const without = await chat({});
    expect([without.feedback, without.turns[0].feedback]).toEqual([null, null]);

    const { conversations: sequences } = await server.post('/agents/conversations/spans', {
      ...{ project_id, conversation_ids: [id] },
    });
    const marker = (name: string, trace_id: string | null) => ({
      ...{ trace_id, feedback_type: 'wandb.agent_user_feedback', tags: [name] },
      ratings: [{ name: `${name}-rating`, value: 0.5, reason: 'because', confidence: null }],
    });
    expect(sequences[0].spans_feedback).toEqual([
      marker('turn', first.traceId),
      marker('conversation', null),
    ]);
  });
});
