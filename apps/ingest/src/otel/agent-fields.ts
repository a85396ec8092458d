/** Where instrumentations of agents write what a span of an agent has. The first that is there counts. */
export const AGENT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  operation_name: ['gen_ai.operation.name'],
  provider_name: ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'ai.model.provider'],
  agent_name: ['gen_ai.agent.name', 'agent.name'],
  agent_id: ['gen_ai.agent.id'],
  agent_version: ['gen_ai.agent.version'],
  conversation_id: [
    'gen_ai.conversation.id',
    'gcp.vertex.agent.session_id',
    'wandb.thread_id',
    'session.id',
  ],
  conversation_name: ['gen_ai.conversation.name'],
  request_model: ['gen_ai.request.model', 'llm.model_name', 'ai.model.id'],
  response_model: ['gen_ai.response.model'],
  tool_name: ['gen_ai.tool.name', 'tool.name'],
  error_type: ['error.type'],
  eval_run_id: ['weave.eval.run_id'],
  parent_call_id: ['weave.parent_call.id'],
  parent_call_trace_id: ['weave.parent_call.trace_id'],
  run_id: ['wandb.wb_run_id'],
};

export const TEXT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  agent_description: ['gen_ai.agent.description'],
  response_id: ['gen_ai.response.id'],
  output_type: ['gen_ai.output.type'],
  tool_call_id: ['gen_ai.tool.call.id', 'tool_call.id'],
  tool_call_arguments: ['gen_ai.tool.call.arguments', 'tool.parameters'],
  tool_call_result: ['gen_ai.tool.call.result'],
  tool_definitions: ['gen_ai.tool.definitions'],
  tool_description: ['gen_ai.tool.description', 'tool.description'],
  tool_type: ['gen_ai.tool.type'],
  server_address: ['server.address'],
  compaction_summary: ['weave.compaction.summary'],
  eval_evaluation_name: ['weave.eval.evaluation_name'],
  eval_example_id: ['weave.eval.example_id'],
  eval_kind: ['weave.eval.kind'],
  eval_predict_and_score_call_id: ['weave.eval.predict_and_score_call_id'],
  eval_row_digest: ['weave.eval.row_digest'],
};

export const NUMBER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  request_choice_count: ['gen_ai.request.choice.count'],
  request_frequency_penalty: ['gen_ai.request.frequency_penalty'],
  request_max_tokens: ['gen_ai.request.max_tokens'],
  request_presence_penalty: ['gen_ai.request.presence_penalty'],
  request_seed: ['gen_ai.request.seed'],
  request_temperature: ['gen_ai.request.temperature'],
  request_top_p: ['gen_ai.request.top_p'],
  server_port: ['server.port'],
  compaction_items_after: ['weave.compaction.items_after'],
  compaction_items_before: ['weave.compaction.items_before'],
  eval_trial_index: ['weave.eval.trial_index'],
  wb_run_step: ['wandb.wb_run_step'],
  wb_run_step_end: ['wandb.wb_run_step_end'],
};

export const LIST_FIELDS: Readonly<Record<string, readonly string[]>> = {
  finish_reasons: ['gen_ai.response.finish_reasons'],
  request_stop_sequences: ['gen_ai.request.stop_sequences'],
  system_instructions: ['gen_ai.system_instructions'],
  artifact_refs: ['weave.artifact_refs'],
  content_refs: ['weave.content_refs'],
  object_refs: ['weave.object_refs'],
};

export const REASONING_TOKENS = [
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.usage.reasoning_tokens',
  'llm.token_count.completion_details.reasoning',
];

/** The messages that a span has received and sent. */
export const MESSAGE_KEYS = {
  input: ['gen_ai.input.messages', 'gen_ai.prompt', 'llm.input_messages', 'input.value'],
  output: ['gen_ai.output.messages', 'gen_ai.completion', 'llm.output_messages', 'output.value'],
} as const;

/** Attributes that the conventions define. All others are the client's own. */
const KNOWN = /^(gen_ai|llm|weave|wandb|openinference|traceloop|input|output|ai|gcp\.vertex)\./;
const KNOWN_NAMES = new Set([
  ...['error.type', 'server.address', 'server.port', 'session.id', 'agent.name', 'tool.name'],
  ...['tool.description', 'tool.parameters', 'tool_call.id'],
]);

export const isCustom = (name: string): boolean => !KNOWN.test(name) && !KNOWN_NAMES.has(name);

/** What an OpenInference or Traceloop kind means as an operation. */
export const OPERATION_OF_KIND: Readonly<Record<string, string>> = {
  llm: 'chat',
  agent: 'invoke_agent',
  tool: 'execute_tool',
  embedding: 'embeddings',
  retriever: 'retrieval',
  workflow: 'invoke_workflow',
};

export const KIND_KEYS = ['openinference.span.kind', 'traceloop.span.kind', 'weave.span.kind'];
