import { gzipSync } from 'node:zlib';
import { aProject, sharedServer } from '../support/test-server.js';
import { aSpan, spanAttributes } from '../support/records.js';

const server = sharedServer();

const requestOf = (spans: readonly object[], resource: Record<string, string> = {}) => ({
  resourceSpans: [
    { resource: { attributes: spanAttributes(resource) }, scopeSpans: [{ spans: [...spans] }] },
  ],
});

const send = (project_id: string, spans: readonly object[], headers = {}) =>
  server.send('/otel/v1/traces', requestOf(spans), { headers: { project_id, ...headers } });

const calls = async (project_id: string): Promise<any[]> =>
  (await server.post('/calls/query', { project_id })).calls;

describe('spans of OpenTelemetry', () => {
  it('become calls that are read like any other, with the span in their attributes', async () => {
    const project = aProject();
    const parent = aSpan({ name: 'plan' });
    const child = aSpan({
      traceId: parent.traceId,
      parentSpanId: parent.spanId,
      name: 'complete',
      attributes: spanAttributes({
        'gen_ai.request.model': 'a-model',
        'gen_ai.usage.input_tokens': 5,
        'gen_ai.usage.output_tokens': 7,
        'gen_ai.prompt': '[{"role":"user","content":"Hi"}]',
        'gen_ai.completion': 'Ho',
      }),
    });

    const response = await send(project, [child, parent]);

    expect([response.status, response.text]).toEqual([200, '{}']);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const { call } = await server.post('/call/read', { project_id: project, id: child.spanId });
    expect(call).toMatchObject({
      op_name: 'complete',
      trace_id: parent.traceId,
      parent_id: parent.spanId,
      inputs: { 'gen_ai.prompt': [{ role: 'user', content: 'Hi' }] },
      output: { 'gen_ai.completion': 'Ho' },
      attributes: { model: 'a-model', otel_span: { name: 'complete' } },
      summary: {
        usage: { 'a-model': { input_tokens: 5, output_tokens: 7, total_tokens: 12 } },
        weave: { status: 'success', latency_ms: 1249 },
      },
      wb_user_id: 'ann',
    });
    const roots = { project_id: project, filter: { trace_roots_only: true } };
    expect((await server.post('/calls/query_stats', roots)).count).toBe(1);
  });

  it('become the same calls however often and in whatever order they are sent', async () => {
    const project = aProject();
    const root = aSpan();
    const spans = [
      root,
      ...[1, 2, 3].map(() => aSpan({ traceId: root.traceId, parentSpanId: root.spanId })),
    ];

    for (const sent of [spans, [...spans].reverse(), spans.slice(1, 2)]) await send(project, sent);

    const found = await calls(project);
    expect(found.map(({ id }) => id).sort()).toEqual(spans.map(({ spanId }) => spanId).sort());
  });

  it('are accepted compressed, under the prefix and on the route of agents', async () => {
    const project = aProject();
    const body = (span: object) => gzipSync(JSON.stringify(requestOf([span])));
    const headers = { project_id: project, 'content-encoding': 'gzip' };

    for (const path of ['/otel/v1/traces', '/traces/otel/v1/traces', '/agents/otel/v1/traces']) {
      expect((await server.send(path, body(aSpan()), { headers })).status).toBe(200);
    }
    expect(await calls(project)).toHaveLength(2);
    const { spans } = await server.post('/agents/spans/query', { project_id: project });
    expect(spans).toHaveLength(1);
  });

  it('name their project in their resource when no header does', async () => {
    const [mine, other] = [aProject(), aProject()];
    const resource = (project: string) => {
      const [entity, name] = project.split('/') as [string, string];
      return { 'wandb.entity': entity, 'wandb.project': name };
    };
    const resourceSpans = [mine, other].flatMap(
      (project) => requestOf([aSpan({ name: project })], resource(project)).resourceSpans,
    );

    await server.post('/otel/v1/traces', { resourceSpans });

    expect((await calls(mine)).map(({ op_name }) => op_name)).toEqual([mine]);
    expect((await calls(other)).map(({ op_name }) => op_name)).toEqual([other]);
  });

  it('that are invalid are refused one by one with the reason, and the others are stored', async () => {
    const project = aProject();
    const wrong = aSpan({ spanId: 'no' });

    const response = await send(project, [aSpan(), wrong, aSpan({ traceId: 'no' }), aSpan()]);

    expect(response.status).toBe(200);
    expect(response.json()).toEqual({
      partialSuccess: {
        rejectedSpans: 2,
        errorMessage: 'the span id "no" is not valid; the trace id "no" is not valid',
      },
    });
    expect(await calls(project)).toHaveLength(2);
  });

  it.each([
    ['no project', {}, JSON.stringify(requestOf([aSpan()])), 400, 'name no project'],
    [
      'an invalid project',
      { project_id: 'acme' },
      JSON.stringify(requestOf([aSpan()])),
      400,
      'form',
    ],
    ['no JSON', { project_id: 'acme/demo' }, '{', 400, 'not valid JSON'],
    ['no spans', { project_id: 'acme/demo' }, '{}', 422, 'must be a list'],
    [
      'no protobuf',
      { project_id: 'acme/demo', 'content-type': 'application/x-protobuf' },
      '\u0007',
      400,
      'not an OTLP',
    ],
    [
      'another encoding',
      { project_id: 'acme/demo', 'content-type': 'text/plain' },
      'x',
      415,
      'x-protobuf',
    ],
  ])('are refused with a sentence when there is %s', async (_, headers, body, status, words) => {
    const response = await server.send('/otel/v1/traces', body, { headers });

    expect([response.status, response.text]).toEqual([status, expect.stringContaining(words)]);
  });

  it('get a protobuf response when they are sent as protobuf, also about refused spans', async () => {
    const headers = { project_id: aProject(), 'content-type': 'application/x-protobuf' };
    const oneSpanWithoutIds = Buffer.from([0x0a, 4, 0x12, 2, 0x12, 0]);

    const empty = await server.send('/otel/v1/traces', new Uint8Array(), { headers });
    const refused = await server.send('/otel/v1/traces', oneSpanWithoutIds, { headers });

    expect([empty.status, empty.text]).toEqual([200, '']);
    expect(empty.headers.get('content-type')).toBe('application/x-protobuf');
    expect(refused.status).toBe(200);
    expect(refused.text).toContain('the trace id "" is not valid');
    expect(Buffer.from(refused.text).subarray(2, 4)).toEqual(Buffer.from([0x08, 1]));
  });
});
