/** Tokens of one model, normalised from the dialect of the client. */
export interface ModelUsage {
  readonly model: string;
  readonly requests: number;
  /** Input tokens as the client reported them. Some dialects include cached tokens, some do not. */
  readonly prompt: number;
  /** Input tokens that were neither read from a cache nor written to one. */
  readonly uncached: number;
  readonly completion: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

/** The usage of the same model by several calls, or by several models that are counted as one. */
export function addedUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    model: a.model,
    requests: a.requests + b.requests,
    prompt: a.prompt + b.prompt,
    uncached: a.uncached + b.uncached,
    completion: a.completion + b.completion,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    total: a.total + b.total,
  };
}
