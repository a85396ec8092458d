// Spans of the OpenTelemetry SDK are sent by its own exporters and read back through the client.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { callsOf, run, scenario } from './scenario.mjs';

const { WF_TRACE_SERVER_URL: url, WANDB_API_KEY: key } = process.env;
const authorization = `Basic ${Buffer.from(`api:${key}`).toString('base64')}`;

const GEN_AI = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.response.model': 'a-model',
  'gen_ai.usage.input_tokens': 11,
  'gen_ai.usage.output_tokens': 13,
  'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: 'Grüße 😀' }]),
  'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: 'Hello' }]),
  'gen_ai.response.finish_reasons': ['stop'],
  'gen_ai.request.temperature': 0.25,
};

/** Ends two spans, one inside the other, and waits until they are sent. */
async function traced(
  Exporter,
  { route = 'otel', headers = {}, resource = {}, attributes = GEN_AI, ...options },
) {
  const failures = [];
  const exporter = new Exporter({
    url: `${url}/${route}/v1/traces`,
    headers: { authorization, ...headers },
    ...options,
  });
  const send = exporter.export.bind(exporter);
  exporter.export = (spans, done) =>
    send(spans, (result) => {
      if (result.code !== 0) failures.push(result.error);
      done(result);
    });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'tested', ...resource }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('conformance', '1.2.3');
  const parent = tracer.startSpan('plan');
  const child = tracer.startSpan('chat', { attributes }, trace.setSpan(context.active(), parent));
  child.recordException(new RangeError('too far'));
  child.setStatus({ code: SpanStatusCode.ERROR });
  child.end();
  parent.end();
  await provider.forceFlush();
  await provider.shutdown();
  deepEqual(failures, []);
}

function check([plan, chat]) {
  deepEqual([plan.op_name, chat.op_name], ['plan', 'chat']);
  deepEqual([plan.parent_id, chat.parent_id], [null, plan.id]);
  equal(chat.trace_id, plan.trace_id);
  deepEqual(chat.inputs, { 'gen_ai.input.messages': [{ role: 'user', content: 'Grüße 😀' }] });
  deepEqual(chat.output, { 'gen_ai.output.messages': [{ role: 'assistant', content: 'Hello' }] });
  deepEqual(chat.summary.usage['a-model'], {
    input_tokens: 11,
    output_tokens: 13,
    total_tokens: 24,
  });
  deepEqual(chat.attributes.finish_reasons, ['stop']);
  equal(chat.attributes.model_parameters.temperature, 0.25);
  equal(chat.exception, 'RangeError: too far');
  equal(chat.summary.weave.status, 'error');
  equal(chat.attributes.otel_span.resource.attributes.service.name, 'tested');
  equal(chat.attributes.otel_span.scope.version, '1.2.3');
  ok(chat.started_at >= plan.started_at && chat.ended_at >= chat.started_at);
}

const byStart = (calls) => calls.sort((a, b) => (a.parent_id ? 1 : 0) - (b.parent_id ? 1 : 0));

scenario('accepts compressed protobuf of the OpenTelemetry exporter', async (client) => {
  const headers = { project_id: client.projectId };
  await traced(ProtobufExporter, { headers, compression: 'gzip' });
  check(byStart(await callsOf(client)));
});

scenario('accepts JSON of the OpenTelemetry exporter', async (client) => {
  await traced(JsonExporter, { headers: { project_id: client.projectId } });
  check(byStart(await callsOf(client)));
});

scenario('takes the project from the resource', async (client) => {
  const [entity, project] = client.projectId.split('/');
  const resource = { 'wandb.entity': entity, 'wandb.project': project };
  await traced(ProtobufExporter, { resource });
  check(byStart(await callsOf(client)));
});

scenario('keeps spans at the route of agents apart from calls', async (client) => {
  const headers = { project_id: client.projectId };
  await traced(ProtobufExporter, { route: 'agents/otel', headers });
  const response = await fetch(`${url}/agents/spans/query`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: client.projectId }),
  });
  const { spans } = await response.json();
  deepEqual(spans.map(({ span_name }) => span_name).sort(), ['chat', 'plan']);
  deepEqual(await callsOf(client), []);
});

scenario('counts the tokens of OpenInference attributes', async (client) => {
  const attributes = {
    'openinference.span.kind': 'LLM',
    'llm.model_name': 'another-model',
    'llm.token_count.prompt': 10,
    'llm.token_count.completion': 4,
    'llm.token_count.total': 14,
    'llm.token_count.prompt_details.cache_read': 3,
    'input.value': 'Hello?',
    'output.value': 'Hello.',
    'session.id': 'a-session',
  };
  await traced(JsonExporter, { headers: { project_id: client.projectId }, attributes });
  const [, chat] = byStart(await callsOf(client));
  const { prompt_tokens, completion_tokens, cache_read_input_tokens } =
    chat.summary.usage['another-model'];
  deepEqual([prompt_tokens, completion_tokens, cache_read_input_tokens], [10, 4, 3]);
  equal(chat.thread_id, 'a-session');
});

await run();
