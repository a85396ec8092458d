import type { CallRow } from '@app/clickhouse';

/** Tokens of one model, whatever dialect the client spoke. */
export interface ModelUsage {
  readonly model: string;
  readonly requests: number;
  /** Input as the client counted it: some dialects include the cached parts, some do not. */
  readonly prompt: number;
  /** Input that was neither read from a cache nor written to one. */
  readonly uncached: number;
  readonly completion: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

type Part = Readonly<Record<string, unknown>>;

/** `summary.usage` of whatever client, normalised. The dialects are listed in docs/reference/usage.md. */
export function usageIn(summary: unknown): ModelUsage[] {
  return Object.entries(part(part(summary)['usage'])).map(([model, of]) =>
    modelUsage(model, part(of)),
  );
}

function modelUsage(model: string, of: Part): ModelUsage {
  const prompt = promptOf(of);
  const completion = completionOf(of);
  const cacheRead = cacheReadOf(of);
  const cacheWrite = cacheWriteOf(of);
  const given = firstOf(of, 'total_tokens', 'total_token_count', 'totalTokenCount', 'totalTokens');
  const uncached = uncachedOf(of, { prompt, completion, cached: cacheRead + cacheWrite, given });
  const total = given || uncached + cacheRead + cacheWrite + completion;
  const requests = count(of, 'requests');
  return { model, requests, prompt, uncached, completion, cacheRead, cacheWrite, total };
}

/** Both at once are what two clients of different dialects add up to in their parent: together they are the input. */
function promptOf(of: Part): number {
  return (
    count(of, 'prompt_tokens') + count(of, 'input_tokens') ||
    count(of, 'prompt_token_count') + count(of, 'tool_use_prompt_token_count') ||
    count(of, 'promptTokenCount') + count(of, 'toolUsePromptTokenCount') ||
    firstOf(of, 'inputTokens', 'promptTokens')
  );
}

/** Gemini counts its thoughts apart from its candidates, and bills both as output. */
function completionOf(of: Part): number {
  return (
    count(of, 'completion_tokens') + count(of, 'output_tokens') ||
    count(of, 'candidates_token_count') + count(of, 'thoughts_token_count') ||
    count(of, 'candidatesTokenCount') + count(of, 'thoughtsTokenCount') ||
    firstOf(of, 'outputTokens', 'completionTokens')
  );
}

/** The same tokens are often given by several names; the first that is there counts. */
function cacheReadOf(of: Part): number {
  return (
    count(of, 'cache_read_input_tokens') ||
    count(part(of['prompt_tokens_details']), 'cached_tokens') ||
    count(part(of['input_tokens_details']), 'cached_tokens') ||
    firstOf(of, 'cached_content_token_count', 'cachedContentTokenCount') ||
    firstOf(of, 'cacheReadInputTokens', 'cachedInputTokens', 'prompt_cache_hit_tokens')
  );
}

function cacheWriteOf(of: Part): number {
  const { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens } = part(of['cache_creation']);
  return (
    firstOf(of, 'cache_creation_input_tokens', 'cacheWriteInputTokens') ||
    counted(ephemeral_5m_input_tokens) + counted(ephemeral_1h_input_tokens)
  );
}

interface Counts {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  /** The total that the client gave, or 0. */
  readonly given: number;
}

/**
 * Whether the input includes its cached parts is told by the total, if there is one. Without it they are included, unless
 * that cannot be: `input_tokens` (Anthropic's name) that are fewer than the cached ones leave them out.
 */
function uncachedOf(of: Part, { prompt, completion, cached, given }: Counts): number {
  const isApart = prompt + cached + completion === given && prompt + completion !== given;
  const names = ['input_tokens', 'inputTokens'];
  const mustBeApart = cached > prompt && names.some((name) => count(of, name) > 0);
  return isApart || mustBeApart ? prompt : Math.max(prompt - cached, 0);
}

/** How many of the usages in these rows have parts that do not add up to their total. */
export function usageViolations(rows: readonly CallRow[]): number {
  let violations = 0;
  for (const row of rows) {
    for (const [i, total] of row.usage_total.entries()) {
      const input = row.usage_uncached[i]! + row.usage_cache_read[i]! + row.usage_cache_write[i]!;
      if (input + row.usage_completion[i]! !== total) violations++;
    }
  }
  return violations;
}

function part(value: unknown): Part {
  return value !== null && typeof value === 'object' ? (value as Part) : {};
}

function firstOf(of: Part, ...names: readonly string[]): number {
  return names.map((name) => count(of, name)).find((value) => value > 0) ?? 0;
}

const count = (of: Part, name: string): number => counted(of[name]);

/** More tokens than this are no count of tokens, and their price would not fit its column. */
const TOKENS_MAX = 1e12;

function counted(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0) || value > TOKENS_MAX) return 0;
  return Math.round(value);
}
