import type { ModelUsage } from '@app/pricing';

/** The columns of usage: arrays with one element per model. */
export const USAGE_COLUMNS = [
  'usage_model',
  'usage_requests',
  'usage_prompt',
  'usage_uncached',
  'usage_completion',
  'usage_cache_read',
  'usage_cache_write',
  'usage_total',
] as const;

export type UsageColumns = {
  readonly [Name in (typeof USAGE_COLUMNS)[number]]?: readonly unknown[];
};

export function usageOf(row: UsageColumns): ModelUsage[] {
  const number = (name: keyof UsageColumns, i: number) => Number(row[name]?.[i] ?? 0);
  return (row.usage_model ?? []).map((model, i) => ({
    model: String(model),
    requests: number('usage_requests', i),
    prompt: number('usage_prompt', i),
    uncached: number('usage_uncached', i),
    completion: number('usage_completion', i),
    cacheRead: number('usage_cache_read', i),
    cacheWrite: number('usage_cache_write', i),
    total: number('usage_total', i),
  }));
}
