/** Where instrumentations write what a call wants to know. The first that is there counts. */
export const INPUT_KEYS = [
  'ai.prompt',
  'gen_ai.prompt',
  'input.value',
  'mlflow.spanInputs',
  'gen_ai.input.messages',
  'pydantic_ai.all_messages',
  'traceloop.entity.input',
  'gcp.vertex.agent.tool_call_args',
  'gcp.vertex.agent.llm_request',
  'input',
  'inputs',
];

export const OUTPUT_KEYS = [
  'ai.response',
  'gen_ai.completion',
  'output.value',
  'gen_ai.output.messages',
  'mlflow.spanOutputs',
  'final_result',
  'gen_ai.content.completion',
  'traceloop.entity.output',
  'gcp.vertex.agent.tool_response',
  'gcp.vertex.agent.llm_response',
  'output',
  'outputs',
];

export const USAGE_KEYS = {
  input_tokens: ['gen_ai.usage.input_tokens'],
  output_tokens: ['gen_ai.usage.output_tokens'],
  prompt_tokens: ['gen_ai.usage.prompt_tokens', 'llm.token_count.prompt', 'ai.usage.promptTokens'],
  completion_tokens: [
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'ai.usage.completionTokens',
  ],
  total_tokens: ['llm.usage.total_tokens', 'llm.token_count.total'],
  cache_creation_input_tokens: [
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_write.input_tokens',
    'llm.token_count.prompt_details.cache_write',
  ],
  cache_read_input_tokens: [
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.prompt_tokens_details.cached_tokens',
    'gen_ai.usage.input_tokens_details.cached_tokens',
    'prompt_tokens_details.cached_tokens',
    'llm.token_count.prompt_details.cache_read',
  ],
} as const;

/** Parts of the counts above, in the form in which OpenAI's API names them. */
export const USAGE_DETAIL_KEYS = {
  prompt_tokens_details: { audio_tokens: 'llm.token_count.prompt_details.audio' },
  completion_tokens_details: {
    reasoning_tokens: 'llm.token_count.completion_details.reasoning',
    audio_tokens: 'llm.token_count.completion_details.audio',
  },
} as const;

export const MODEL_KEYS = [
  'gen_ai.response.model',
  'gen_ai.request.model',
  'llm.model_name',
  'ai.model.id',
];

export const ATTRIBUTE_KEYS: Readonly<Record<string, readonly string[]>> = {
  model: MODEL_KEYS,
  provider: ['gen_ai.provider.name', 'llm.provider', 'ai.model.provider'],
  system: ['gen_ai.system_instructions', 'gen_ai.system', 'llm.system'],
  kind: ['weave.span.kind', 'traceloop.span.kind', 'openinference.span.kind'],
  model_parameters: ['gen_ai.request', 'llm.invocation_parameters'],
  operation_name: ['gen_ai.operation.name'],
  response_id: ['gen_ai.response.id'],
  finish_reasons: ['gen_ai.response.finish_reasons'],
  agent_name: ['gen_ai.agent.name'],
  agent_id: ['gen_ai.agent.id'],
};

/** A conversation of its own: its spans open turns unless they say otherwise. */
export const CONVERSATION_KEYS = ['gen_ai.conversation.id', 'gcp.vertex.agent.session_id'];

/** Threads whose spans are turns only if they say so: every span of a session has its id. */
export const THREAD_KEYS = ['wandb.thread_id', 'session.id'];
