/** Tokens of one model, in one dialect: `prompt` is all input, cached parts included. */
export interface ModelUsage {
  readonly model: string;
  readonly requests: number;
  readonly prompt: number;
  readonly completion: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

type Part = Readonly<Record<string, unknown>>;

/** `summary.usage` of whatever client, normalised. */
export function usageIn(summary: unknown): ModelUsage[] {
  return Object.entries(part(part(summary)['usage'])).map(([model, of]) =>
    modelUsage(model, part(of)),
  );
}

function modelUsage(model: string, of: Part): ModelUsage {
  const prompt = count(of, 'prompt_tokens') + count(of, 'input_tokens');
  const completion = count(of, 'completion_tokens') + count(of, 'output_tokens');
  return {
    model,
    requests: count(of, 'requests'),
    prompt,
    completion,
    cacheRead:
      count(of, 'cache_read_input_tokens') ||
      count(part(of['prompt_tokens_details']), 'cached_tokens') ||
      count(part(of['input_tokens_details']), 'cached_tokens') ||
      count(of, 'cached_content_token_count'),
    cacheWrite: count(of, 'cache_creation_input_tokens'),
    total: count(of, 'total_tokens') || prompt + completion,
  };
}

function part(value: unknown): Part {
  return value !== null && typeof value === 'object' ? (value as Part) : {};
}

function count(of: Part, name: string): number {
  const value = of[name];
  return typeof value === 'number' && value > 0 && Number.isSafeInteger(Math.round(value))
    ? Math.round(value)
    : 0;
}
