import fc from 'fast-check';
import { aSpan, spanAttributes } from '../../../../test/support/records.js';
import { spansOfJson } from './otlp-spans.js';
import { callOfSpan } from './span-call.js';
import { INPUT_KEYS, MODEL_KEYS, OUTPUT_KEYS } from './span-fields.js';
import { SpanError, type Span } from './span.js';

type Fields = Parameters<typeof aSpan>[0];
type Attributes = Parameters<typeof spanAttributes>[0];

/** The call that a span becomes, as text. */
function textOf(fields: Fields = {}): string {
  const [group] = spansOfJson({ resourceSpans: [{ scopeSpans: [{ spans: [aSpan(fields)] }] }] });
  const [span] = group!.spans;
  if (span instanceof SpanError) throw span;
  return callOfSpan(span as Span, group!, 'acme/demo').toString();
}

const callOf = (fields: Fields = {}): any => JSON.parse(textOf(fields));
const callWith = (attributes: Attributes): any =>
  callOf({ attributes: spanAttributes(attributes) });

describe('a span as a call', () => {
  it('has the ids, the name and the times of the span, to the microsecond', () => {
    const traceId = 'AB'.repeat(16);
    const call = callOf({ traceId, spanId: '0123456789abcdef', parentSpanId: '00000000000000ff' });

    expect(call).toMatchObject({
      project_id: 'acme/demo',
      id: '0123456789abcdef',
      trace_id: 'ab'.repeat(16),
      parent_id: '00000000000000ff',
      op_name: 'summarise',
      started_at: '2026-03-01T10:00:00.000001Z',
      ended_at: '2026-03-01T10:00:01.250000Z',
      inputs: {},
      summary: {},
    });
    expect(callOf()).not.toHaveProperty('parent_id');
  });

  it('shortens a long name and keeps it apart from others like it', () => {
    const long = (end: string) => callOf({ name: 'x'.repeat(200) + end }).op_name as string;

    expect(long('a')).toMatch(/^x{123}:[0-9a-f]{4}$/);
    expect(long('a')).not.toBe(long('b'));
  });

  it.each(INPUT_KEYS.slice(0, -2))('finds inputs at %s and keeps them under that name', (key) => {
    expect(callWith({ [key]: 'hi' }).inputs).toEqual({ [key]: 'hi' });
  });

  it.each(['input', 'inputs'])('takes an object called %s for the inputs themselves', (key) => {
    expect(callWith({ [key]: '{"a":1}' }).inputs).toEqual({ a: 1 });
    expect(callWith({ [key]: 'hi' }).inputs).toEqual({ [key]: 'hi' });
  });

  it.each([
    ['text', 'hello'],
    ['JSON', '[{"role":"assistant","content":"hello"}]'],
  ])(
    'prefers the parts of an attribute over the same attribute as %s, in either order',
    (_, whole) => {
      const parts = {
        'gen_ai.completion.0.content': 'hi',
        'gen_ai.completion.0.role': 'assistant',
      };
      const output = { 'gen_ai.completion': [{ content: 'hi', role: 'assistant' }] };

      expect(callWith({ 'gen_ai.completion': whole, ...parts }).output).toEqual(output);
      expect(callWith({ ...parts, 'gen_ai.completion': whole }).output).toEqual(output);
    },
  );

  it('belongs to the thread of its session, which makes it no turn', () => {
    const call = callWith({ 'session.id': 's1', 'input.value': 'hi' });

    expect(call).toMatchObject({ thread_id: 's1' });
    expect(call).not.toHaveProperty('turn_id');
    expect(callWith({ 'session.id': 's1', 'wandb.thread_id': 't1' }).thread_id).toBe('t1');
    expect(callWith({ 'session.id': 's1', 'wandb.is_turn': true }).turn_id).toBeDefined();
    expect(callWith({ 'wandb.is_turn': true })).not.toHaveProperty('turn_id');
  });

  it('keeps its user in the attributes, whatever else is known of it', () => {
    const known = callWith({ 'user.id': 'ann', 'llm.provider': 'openai' });
    const unknown = callWith({ 'user.id': 'ann', 'my.own': 1 });

    expect(known.attributes).toEqual({ provider: 'openai', user: { id: 'ann' } });
    expect(unknown.attributes).toEqual({ user: { id: 'ann' }, my: { own: 1 } });
  });

  it('counts the cached, reasoning and audio tokens of OpenInference and GenAI', () => {
    const call = callWith({
      'llm.model_name': 'm',
      'llm.token_count.prompt': 10,
      'llm.token_count.completion': 6,
      'llm.token_count.prompt_details.cache_read': 3,
      'llm.token_count.prompt_details.cache_write': 2,
      'llm.token_count.prompt_details.audio': 1,
      'llm.token_count.completion_details.reasoning': 4,
      'llm.token_count.completion_details.audio': 5,
    });

    expect(call.summary.usage.m).toEqual({
      prompt_tokens: 10,
      completion_tokens: 6,
      total_tokens: 16,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 2,
      prompt_tokens_details: { audio_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 4, audio_tokens: 5 },
    });
    const written = callWith({ 'gen_ai.usage.cache_write.input_tokens': 7 });
    expect(written.summary.usage.usage).toEqual({ cache_creation_input_tokens: 7 });
  });

  it.each(OUTPUT_KEYS.slice(0, -2))('finds the output at %s', (key) => {
    expect(callWith({ [key]: 'ho' }).output).toEqual({ [key]: 'ho' });
  });

  it.each(['output', 'outputs'])('takes a value called %s for the output itself', (key) => {
    expect(callWith({ [key]: 'ho' }).output).toBe('ho');
  });

  it('takes the first key that is there, whatever else is', () => {
    const keys = fc.uniqueArray(fc.constantFrom(...INPUT_KEYS), { minLength: 1 });

    fc.assert(
      fc.property(keys, (present) => {
        // `input` and `input.value` cannot both be there.
        const requested = present.includes('input.value')
          ? present.filter((k) => k !== 'input')
          : present;
        const first = INPUT_KEYS.find((key) => requested.includes(key))!;
        const call = callWith(Object.fromEntries(requested.map((key) => [key, `at ${key}`])));

        expect(call.inputs).toEqual({ [first]: `at ${first}` });
      }),
    );
  });

  it.each([
    [
      { 'gen_ai.usage.input_tokens': 3, 'gen_ai.usage.output_tokens': 4 },
      { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
    ],
    [
      { 'gen_ai.usage.prompt_tokens': 3, 'gen_ai.usage.completion_tokens': 4 },
      { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    ],
    [
      { 'llm.token_count.prompt': 3, 'llm.token_count.completion': 4, 'llm.token_count.total': 9 },
      { prompt_tokens: 3, completion_tokens: 4, total_tokens: 9 },
    ],
    [
      { 'ai.usage.promptTokens': 3, 'ai.usage.completionTokens': 4 },
      { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    ],
    [{ 'llm.usage.total_tokens': 9 }, { total_tokens: 9 }],
    [
      { 'gen_ai.usage.input_tokens': 3, 'gen_ai.usage.prompt_tokens': 3 },
      { input_tokens: 3, total_tokens: 3 },
    ],
    [{ 'gen_ai.usage.cache_creation.input_tokens': 2 }, { cache_creation_input_tokens: 2 }],
    [{ 'gen_ai.usage.cache_read.input_tokens': 2 }, { cache_read_input_tokens: 2 }],
    [{ 'gen_ai.usage.prompt_tokens_details.cached_tokens': 2 }, { cache_read_input_tokens: 2 }],
    [{ 'gen_ai.usage.input_tokens_details.cached_tokens': 2 }, { cache_read_input_tokens: 2 }],
    [{ 'prompt_tokens_details.cached_tokens': '2' }, { cache_read_input_tokens: 2 }],
  ])('counts the tokens of %j', (attributes, usage) => {
    expect(callWith(attributes).summary).toEqual({ usage: { usage } });
    const named = { ...attributes, 'gen_ai.response.model': 'a-model' };
    expect(callWith(named).summary).toEqual({ usage: { 'a-model': usage } });
  });

  it.each<[string, string]>([
    ...MODEL_KEYS.map((key): [string, string] => [key, 'model']),
    ['gen_ai.provider.name', 'provider'],
    ['llm.provider', 'provider'],
    ['ai.model.provider', 'provider'],
    ['gen_ai.system_instructions', 'system'],
    ['gen_ai.system', 'system'],
    ['llm.system', 'system'],
    ['weave.span.kind', 'kind'],
    ['traceloop.span.kind', 'kind'],
    ['openinference.span.kind', 'kind'],
    ['llm.invocation_parameters', 'model_parameters'],
    ['gen_ai.operation.name', 'operation_name'],
    ['gen_ai.response.id', 'response_id'],
    ['gen_ai.response.finish_reasons', 'finish_reasons'],
    ['gen_ai.agent.name', 'agent_name'],
    ['gen_ai.agent.id', 'agent_id'],
  ])('finds in %s the attribute %s', (key, name) => {
    expect(callWith({ [key]: 'v' }).attributes).toMatchObject({ [name]: 'v' });
  });

  it('gathers the parameters of a request', () => {
    const call = callWith({ 'gen_ai.request.temperature': 0.5, 'gen_ai.request.max_tokens': 10 });

    expect(call.attributes.model_parameters).toEqual({ temperature: 0.5, max_tokens: 10 });
  });

  it('merges wandb.attributes, flat or as JSON, and takes names and runs from wandb', () => {
    expect(callWith({ 'wandb.attributes.env': 'test' }).attributes).toEqual({ env: 'test' });
    expect(callWith({ 'wandb.attributes': '{"env":"test"}' }).attributes).toEqual({ env: 'test' });
    expect(
      callWith({
        'wandb.display_name': 'shown',
        'wandb.wb_run_id': 'acme/demo/run',
        'wandb.wb_run_step': 3,
        'wandb.wb_run_step_end': 4,
      }),
    ).toMatchObject({
      display_name: 'shown',
      wb_run_id: 'acme/demo/run',
      wb_run_step: 3,
      wb_run_step_end: 4,
    });
  });

  it.each([
    [{ 'gen_ai.conversation.id': 'c' }, true],
    [{ 'gcp.vertex.agent.session_id': 'c' }, true],
    [{ 'wandb.thread_id': 'c' }, false],
    [{ 'wandb.thread_id': 'c', 'wandb.is_turn': true }, true],
    [{ 'gen_ai.conversation.id': 'c', 'wandb.is_turn': false }, false],
  ])('knows the thread of %j, and whether it opens a turn', (attributes, isTurn) => {
    const { id, thread_id, turn_id } = callWith(attributes);

    expect([thread_id, turn_id]).toEqual(['c', isTurn ? id : undefined]);
  });

  it('keeps a thread id that looks like a number as it is', () => {
    expect(callWith({ 'gen_ai.conversation.id': '0042' }).thread_id).toBe('0042');
    expect(callWith({ 'gen_ai.conversation.id': '42' }).thread_id).toBe('42');
  });

  it('lets langfuse move its times', () => {
    expect(
      callWith({
        'langfuse.startTime': '"2026-02-01T00:00:00Z"',
        'langfuse.endTime': '2026-02-01T00:00:01Z',
      }),
    ).toMatchObject({
      started_at: '2026-02-01T00:00:00.000000Z',
      ended_at: '2026-02-01T00:00:01.000000Z',
    });
  });

  it.each([
    [{ status: { code: 2, message: 'it broke' } }, 'it broke'],
    [{ status: { code: 'STATUS_CODE_ERROR' } }, 'Error'],
    [{ status: { code: 1, message: 'fine' } }, undefined],
    [
      {
        status: { code: 2 },
        events: [
          {
            name: 'exception',
            attributes: spanAttributes({ 'exception.type': 'E', 'exception.message': 'm' }),
          },
        ],
      },
      'E: m',
    ],
  ])('tells what went wrong with %j', (fields, exception) => {
    expect(callOf(fields).exception).toBe(exception);
  });

  it('makes lists of numbered names', () => {
    const call = callWith({
      'gen_ai.prompt.1.content': 'b',
      'gen_ai.prompt.0.content': 'a',
      'gen_ai.prompt.0.role': 'user',
    });

    expect(call.inputs).toEqual({
      'gen_ai.prompt': [{ content: 'a', role: 'user' }, { content: 'b' }],
    });
    expect(callWith({ 'input.5': 'far' }).inputs).toEqual({ '5': 'far' });
  });

  it('leaves a JSON text as it is when it would make a payload deeper than a call may have', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const attributes = (text: string) => callWith({ 'a.b': text }).attributes.a.b as unknown;

    expect(attributes(nested(194))).toEqual(JSON.parse(nested(194)));
    expect(attributes(nested(195))).toBe(nested(195));
  });

  it('keeps JSON in a text digit by digit, and long integers too', () => {
    const json = '{"id": 123456789012345678901, "f": 1.0}';

    expect(textOf({ attributes: spanAttributes({ 'input.value': json }) })).toContain(
      `"inputs":{"input.value":${json}}`,
    );
    const long = [{ key: 'output', value: { intValue: '9223372036854775807' } }];
    expect(textOf({ attributes: long })).toContain('"output":9223372036854775807');
  });

  it('joins an object in a text with the names below it', () => {
    const call = callWith({ 'ai.prompt': '{"system":"s"}', 'ai.prompt.messages': '[1]' });

    expect(call.inputs).toEqual({ 'ai.prompt': { system: 's', messages: [1] } });
  });

  it.each([
    ['a trace id of zeros', { traceId: '0'.repeat(32) }],
    ['a short span id', { spanId: 'abc' }],
    ['a parent that is none', { parentSpanId: 'zz' }],
    ['no start', { startTimeUnixNano: '0' }],
    ['a time that is no number', { startTimeUnixNano: 'soon' }],
    ['names without end', { attributes: spanAttributes({ ['a.'.repeat(100)]: 1 }) }],
  ])('is refused for %s', (_, fields) => {
    expect(() => textOf(fields)).toThrow(SpanError);
  });

  it('has all its attributes when none is known, and always the whole span beside', () => {
    const call = callWith({ 'a.b': 1, c: [true, 'x'] });

    expect(call.attributes).toEqual({ a: { b: 1 }, c: [true, 'x'] });
    expect(call.otel_dump).toMatchObject({
      name: 'summarise',
      attributes: { a: { b: 1 }, c: [true, 'x'] },
      start_time: 1772359200000001000,
    });
  });

  it('has the words for the kind and the status of the span, and nests the names of its attributes', () => {
    const event = { name: 'e', timeUnixNano: '1', attributes: spanAttributes({ 'e.f': 1 }) };
    const { otel_dump } = callOf({
      kind: 3,
      status: { code: 2, message: 'no' },
      attributes: spanAttributes({ 'a.b': 'text', 'a.b.c': '{"d":1}' }),
      events: [event],
    });

    expect(otel_dump).toMatchObject({
      kind: 'CLIENT',
      status: { code: 'ERROR', message: 'no' },
      // A name that is also a parent stays beside the tree.
      attributes: { a: { b: { c: { d: 1 } } }, 'a.b': 'text' },
      events: [{ attributes: { e: { f: 1 } } }],
    });
    const parentLast = callOf({ attributes: spanAttributes({ 'a.b.c': 1, 'a.b': 'text' }) });
    expect(parentLast.otel_dump.attributes).toEqual({ a: { b: { c: 1 } }, 'a.b': 'text' });
    const deep = 'x.'.repeat(100);
    const deepEvent = { ...event, attributes: spanAttributes({ [deep]: 1 }) };
    expect(callOf({ events: [deepEvent] }).otel_dump.events[0].attributes).toEqual({ [deep]: 1 });
  });

  it('is the same text for the same span', () => {
    const fields = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };

    expect(textOf(fields)).toBe(textOf(fields));
  });

  it('stands firm against names of JavaScript itself', () => {
    const call = callOf({
      attributes: spanAttributes({ '__proto__.x': 1, 'input.constructor': 'c' }),
    });

    expect(call.inputs).toEqual(JSON.parse('{"constructor":"c"}'));
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
