import type { CallRow } from '@app/clickhouse';
import { addedUsage, type ModelUsage } from '@app/pricing';

type Fields = Readonly<Record<string, unknown>>;

/** Every model of a call is a row of `root_usage`. Real calls use a few models. */
const MODELS_MAX = 100;
/** The usage of all models after the first 99 is added up under this name. */
const OTHER_MODELS = 'other';

/** Normalises `summary.usage`. docs/reference/usage.md lists the dialects. Every model occurs once. */
export function usageIn(summary: unknown): ModelUsage[] {
  const entries = Object.entries(fieldsOf(fieldsOf(summary)['usage']));
  const byModel = new Map<string, ModelUsage>();
  for (const [name, fields] of entries) {
    // ClickHouse stores UTF-8, where every half of a surrogate pair becomes the same character.
    const model = name.toWellFormed();
    const isFull = byModel.size >= MODELS_MAX - 1 && entries.length > MODELS_MAX;
    const key = isFull && !byModel.has(model) ? OTHER_MODELS : model;
    const usage = modelUsage(key, fieldsOf(fields));
    const known = byModel.get(key);
    byModel.set(key, known === undefined ? usage : addedUsage(known, usage));
  }
  return [...byModel.values()];
}

function modelUsage(model: string, usage: Fields): ModelUsage {
  const prompt = promptOf(usage);
  const completion = completionOf(usage);
  const cacheRead = cacheReadOf(usage);
  const cacheWrite = cacheWriteOf(usage);
  const reportedTotal = firstOf(
    usage,
    'total_tokens',
    'total_token_count',
    'totalTokenCount',
    'totalTokens',
  );
  const uncached = uncachedOf(usage, {
    prompt,
    completion,
    cached: cacheRead + cacheWrite,
    reportedTotal,
  });
  const total = reportedTotal || uncached + cacheRead + cacheWrite + completion;
  const requests = count(usage, 'requests');
  return { model, requests, prompt, uncached, completion, cacheRead, cacheWrite, total };
}

/** A parent call may sum the usage of children in two dialects, so `prompt_tokens` and `input_tokens` are added. */
function promptOf(usage: Fields): number {
  return (
    count(usage, 'prompt_tokens') + count(usage, 'input_tokens') ||
    count(usage, 'prompt_token_count') + count(usage, 'tool_use_prompt_token_count') ||
    count(usage, 'promptTokenCount') + count(usage, 'toolUsePromptTokenCount') ||
    firstOf(usage, 'inputTokens', 'promptTokens')
  );
}

/** Gemini counts thoughts and candidates separately, and bills both as output. */
function completionOf(usage: Fields): number {
  return (
    count(usage, 'completion_tokens') + count(usage, 'output_tokens') ||
    count(usage, 'candidates_token_count') + count(usage, 'thoughts_token_count') ||
    count(usage, 'candidatesTokenCount') + count(usage, 'thoughtsTokenCount') ||
    firstOf(usage, 'outputTokens', 'completionTokens')
  );
}

/** Clients often report the same tokens under several names; the first one found counts. */
function cacheReadOf(usage: Fields): number {
  return (
    count(usage, 'cache_read_input_tokens') ||
    count(fieldsOf(usage['prompt_tokens_details']), 'cached_tokens') ||
    count(fieldsOf(usage['input_tokens_details']), 'cached_tokens') ||
    firstOf(usage, 'cached_content_token_count', 'cachedContentTokenCount') ||
    firstOf(usage, 'cacheReadInputTokens', 'cachedInputTokens', 'prompt_cache_hit_tokens')
  );
}

function cacheWriteOf(usage: Fields): number {
  const { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens } = fieldsOf(
    usage['cache_creation'],
  );
  return (
    firstOf(usage, 'cache_creation_input_tokens', 'cacheWriteInputTokens') ||
    counted(ephemeral_5m_input_tokens) + counted(ephemeral_1h_input_tokens)
  );
}

interface Counts {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  /** The total that the client reported, or 0. */
  readonly reportedTotal: number;
}

/**
 * The reported total shows whether the input includes cached tokens. Without a total it includes them, unless
 * `input_tokens` (Anthropic's name) is less than the number of cached tokens.
 */
function uncachedOf(usage: Fields, { prompt, completion, cached, reportedTotal }: Counts): number {
  const excludesCached =
    prompt + cached + completion === reportedTotal && prompt + completion !== reportedTotal;
  const names = ['input_tokens', 'inputTokens'];
  const mustExcludeCached = cached > prompt && names.some((name) => count(usage, name) > 0);
  return excludesCached || mustExcludeCached ? prompt : Math.max(prompt - cached, 0);
}

/** Counts the usages in these rows whose parts do not add up to their total. */
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

function fieldsOf(value: unknown): Fields {
  return value !== null && typeof value === 'object' ? (value as Fields) : {};
}

function firstOf(usage: Fields, ...names: readonly string[]): number {
  return names.map((name) => count(usage, name)).find((value) => value > 0) ?? 0;
}

const count = (usage: Fields, name: string): number => counted(usage[name]);

/** A greater number is not a count of tokens, and its price would not fit the column. */
const TOKENS_MAX = 1e12;

function counted(value: unknown): number {
  if (typeof value !== 'number' || !(value > 0) || value > TOKENS_MAX) return 0;
  return Math.round(value);
}
