import fc from 'fast-check';
import { aSpan, spanAttributes } from '../../../../test/support/records.js';
import { micros } from '@app/wire';
import { readAgentSpans } from './agent-facts.js';
import { agentSpanBody } from './agent-span.js';
import { messagesOf, reasoningIn } from './agent-messages.js';
import { spansOfJson } from './otlp-spans.js';
import { SpanError } from './span.js';

type Plain = Parameters<typeof spanAttributes>[0];

function bodyOf(attributes: Plain, fields: object = {}) {
  const span = aSpan({ ...fields, attributes: spanAttributes(attributes) });
  const [group] = spansOfJson({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  const [read] = group!.spans;
  if (read === undefined || read instanceof SpanError) throw new Error('The span is invalid.');
  return agentSpanBody(read, group!);
}

describe('a span of an agent', () => {
  it('has the columns of the GenAI conventions', () => {
    const { columns, fields } = bodyOf({
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-x',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.response.finish_reasons': ['stop'],
      'weave.parent_call.id': 'c1',
      'weave.parent_call.trace_id': 't1',
    });

    expect(columns).toMatchObject({
      operation_name: 'chat',
      provider_name: 'openai',
      request_model: 'gpt-x',
      parent_call_id: 'c1',
      parent_call_trace_id: 't1',
      status_code: 'UNSET',
    });
    expect(fields).toEqual({ request_temperature: 0.5, finish_reasons: ['stop'] });
  });

  it('is read by the OpenInference conventions, too', () => {
    const body = bodyOf({
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-x',
      'llm.token_count.prompt': 7,
      'llm.token_count.prompt_details.cache_read': 3,
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Hi',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'Hello',
    });

    expect(body.columns).toMatchObject({ operation_name: 'chat', request_model: 'gpt-x' });
    expect(body.usage).toMatchObject({ prompt_tokens: 7, cache_read_input_tokens: 3 });
    expect(body.messages).toEqual({
      input: [{ role: 'user', content: 'Hi', finish_reason: '' }],
      output: [{ role: 'assistant', content: 'Hello', finish_reason: '' }],
    });
  });

  it('has the own attributes of the client by type, and no others', () => {
    const { custom } = bodyOf({
      'gen_ai.agent.name': 'bot',
      team: 'blue',
      tries: 3,
      score: 0.5,
      ok: true,
      list: ['a', 1],
      constructor: 'x',
    });

    expect(custom.string).toEqual({ team: 'blue', list: '["a",1]', constructor: 'x' });
    expect([custom.int, custom.float, custom.bool]).toEqual([
      { tries: 3 },
      { score: 0.5 },
      { ok: true },
    ]);
  });
});

describe('a request with spans of agents', () => {
  const read = (spans: readonly object[]) =>
    readAgentSpans(
      Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })),
      true,
      'acme/demo',
      {
        userId: 'ann',
        addsOnly: false,
        retryId: undefined,
        now: micros(1),
        redactKeys: ['*apikey'],
      },
    );

  it('becomes one fact per span, without credentials, and names the spans it rejects', () => {
    const attributes = spanAttributes({ 'my.api_key': 'secret', team: 'blue' });
    const { facts, problems, projects } = read([aSpan({ attributes }), aSpan({ spanId: 'no' })]);

    expect(facts.map(({ type, projectId, userId }) => [type, projectId, userId])).toEqual([
      ['SpanRecorded', 'acme/demo', 'ann'],
    ]);
    expect(facts[0]!.body.toString()).not.toContain('secret');
    expect(facts[0]!.body.toString()).toContain('blue');
    expect(problems).toEqual(['the span id "no" is not valid']);
    expect([...projects]).toEqual(['acme/demo']);
  });

  it('gives a span that is sent again the same key', () => {
    const span = aSpan();

    expect(read([span]).facts[0]!.data).toEqual(read([span]).facts[0]!.data);
  });
});

describe('messages of agents', () => {
  it('are text when their parts are, and JSON otherwise', () => {
    const parts = [{ type: 'text', content: 'a' }];
    const call = { type: 'tool_call', id: '1', name: 'f', arguments: {} };

    expect(messagesOf([{ role: 'tool', parts }], 'user')).toEqual([
      { role: 'tool', content: 'a', finish_reason: '' },
    ]);
    expect(messagesOf([{ role: 'assistant', parts: [...parts, call] }], 'user')[0]!.content).toBe(
      JSON.stringify([...parts, call]),
    );
    expect(messagesOf('plain', 'user')).toEqual([
      { role: 'user', content: 'plain', finish_reason: '' },
    ]);
  });

  it('have one form, whatever was sent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const message of messagesOf(value, 'user')) {
          expect(Object.keys(message).sort()).toEqual(['content', 'finish_reason', 'role']);
          expect(Object.values(message).every((one) => typeof one === 'string')).toBe(true);
        }
        expect(typeof reasoningIn(value)).toBe('string');
      }),
    );
  });
});
