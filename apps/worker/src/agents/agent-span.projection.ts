import type { AgentSpanRow } from '@app/clickhouse';
import type { AgentSpanBody, Ordered, SpanRecorded } from '@app/events';
import type { ModelUsage } from '@app/pricing';
import { usageIn } from '../calls/call-usage.js';
import { addedVersion } from '../feedback/feedback.projection.js';

const UNSET = {
  parent_span_id: '',
  span_name: '',
  span_kind: '',
  status_code: '',
  status_message: '',
  error_type: '',
  operation_name: '',
  provider_name: '',
  agent_name: '',
  agent_id: '',
  agent_version: '',
  conversation_id: '',
  conversation_name: '',
  request_model: '',
  response_model: '',
  tool_name: '',
  eval_run_id: '',
  parent_call_id: '',
  parent_call_trace_id: '',
  run_id: '',
};

/** Operations that consist of requests to models. Their usage is the sum of those requests, which have spans of their own. */
const COMPOSED = new Set(['invoke_agent', 'create_agent', 'invoke_workflow', 'execute_tool']);

export function agentSpanRow(fact: Ordered<SpanRecorded>): AgentSpanRow {
  const { projectId, userId, seq, data } = fact;
  const body = JSON.parse(fact.body.toString('utf8')) as AgentSpanBody;
  const columns = Object.fromEntries(
    Object.keys(UNSET).map((name) => [name, body.columns[name] ?? '']),
  ) as typeof UNSET;
  const { custom } = body;
  return {
    project_id: projectId,
    started_at: data.startedAt,
    trace_id: data.traceId,
    span_id: data.spanId,
    ended_at: data.endedAt,
    ...columns,
    user_id: userId,
    ...usageOf(body, columns),
    reasoning: body.reasoning ?? 0,
    custom_attrs_string: new Map(Object.entries(custom.string)),
    custom_attrs_int: new Map(Object.entries(custom.int)),
    custom_attrs_float: new Map(Object.entries(custom.float)),
    custom_attrs_bool: new Map(Object.entries(custom.bool)),
    fields: JSON.stringify(body.fields),
    messages: JSON.stringify(body.messages),
    dump: JSON.stringify(body.dump),
    version: data.addsOnly ? addedVersion(seq) : seq,
    is_deleted: 0,
  };
}

const NO_USAGE: ModelUsage = {
  model: '',
  requests: 0,
  prompt: 0,
  uncached: 0,
  completion: 0,
  cacheRead: 0,
  cacheWrite: 0,
  total: 0,
};

/** A span is one request to a model. The model is empty where the tokens belong to other spans. */
function usageOf(body: AgentSpanBody, columns: typeof UNSET) {
  const name = columns.response_model || columns.request_model || 'usage';
  const [usage = NO_USAGE] = body.usage ? usageIn({ usage: { [name]: body.usage } }) : [];
  const isRequest = body.usage !== undefined && !COMPOSED.has(columns.operation_name);
  return {
    model: isRequest ? usage.model : '',
    requests: isRequest ? 1 : 0,
    prompt: usage.prompt,
    uncached: usage.uncached,
    completion: usage.completion,
    cache_read: usage.cacheRead,
    cache_write: usage.cacheWrite,
    total: usage.total,
  };
}
