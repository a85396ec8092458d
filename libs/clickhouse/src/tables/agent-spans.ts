import type { Micros } from '@app/wire';
import {
  asBool,
  asFloat64,
  asInt64,
  asMap,
  asMicros,
  asText,
  asUInt64,
  asUInt8,
  type Table,
} from '../columns.js';

/** A span of an agent. '' is an unset text. */
export interface AgentSpanRow {
  project_id: string;
  started_at: Micros;
  trace_id: string;
  span_id: string;
  parent_span_id: string;
  ended_at: Micros;
  span_name: string;
  span_kind: string;
  status_code: string;
  status_message: string;
  error_type: string;
  operation_name: string;
  provider_name: string;
  agent_name: string;
  agent_id: string;
  agent_version: string;
  conversation_id: string;
  conversation_name: string;
  request_model: string;
  response_model: string;
  tool_name: string;
  eval_run_id: string;
  /** The call of the SDK that ran when the span started. */
  parent_call_id: string;
  parent_call_trace_id: string;
  user_id: string;
  run_id: string;
  /** The model whose price applies; empty for a span that used none, or that repeats the usage of its children. */
  model: string;
  requests: number;
  prompt: number;
  uncached: number;
  completion: number;
  cache_read: number;
  cache_write: number;
  total: number;
  reasoning: number;
  custom_attrs_string: ReadonlyMap<string, string>;
  custom_attrs_int: ReadonlyMap<string, number>;
  custom_attrs_float: ReadonlyMap<string, number>;
  custom_attrs_bool: ReadonlyMap<string, boolean>;
  /** JSON: the other fields of the span. */
  fields: string;
  /** JSON: `{"input":[…],"output":[…]}`. */
  messages: string;
  /** JSON: the span as it was sent. */
  dump: string;
  version: number;
  is_deleted: number;
}

export const AGENT_SPANS: Table<AgentSpanRow> = {
  name: 'agent_spans',
  columns: {
    project_id: asText,
    started_at: asMicros,
    trace_id: asText,
    span_id: asText,
    parent_span_id: asText,
    ended_at: asMicros,
    span_name: asText,
    span_kind: asText,
    status_code: asText,
    status_message: asText,
    error_type: asText,
    operation_name: asText,
    provider_name: asText,
    agent_name: asText,
    agent_id: asText,
    agent_version: asText,
    conversation_id: asText,
    conversation_name: asText,
    request_model: asText,
    response_model: asText,
    tool_name: asText,
    eval_run_id: asText,
    parent_call_id: asText,
    parent_call_trace_id: asText,
    user_id: asText,
    run_id: asText,
    model: asText,
    requests: asUInt64,
    prompt: asUInt64,
    uncached: asUInt64,
    completion: asUInt64,
    cache_read: asUInt64,
    cache_write: asUInt64,
    total: asUInt64,
    reasoning: asUInt64,
    custom_attrs_string: asMap<string>(asText),
    custom_attrs_int: asMap<number>(asInt64),
    custom_attrs_float: asMap(asFloat64),
    custom_attrs_bool: asMap(asBool),
    fields: asText,
    messages: asText,
    dump: asText,
    version: asUInt64,
    is_deleted: asUInt8,
  },
};
