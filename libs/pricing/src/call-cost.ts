import { unitsOf } from './decimal.js';
import type { Price } from './price.js';

/** Tokens of one call and one model. Each token is in exactly one of the four counts. */
export interface BilledTokens {
  readonly uncached: number;
  readonly completion: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** In units of 10^-18 of the price's currency. */
export interface Cost {
  readonly prompt: bigint;
  readonly completion: bigint;
  readonly cacheRead: bigint;
  readonly cacheWrite: bigint;
}

export function costOf(tokens: BilledTokens, price: Price): Cost {
  const times = (count: number, perToken: string) => BigInt(count) * unitsOf(perToken);
  return {
    prompt: times(tokens.uncached, price.prompt),
    completion: times(tokens.completion, price.completion),
    cacheRead: times(tokens.cacheRead, price.cacheRead),
    cacheWrite: times(tokens.cacheWrite, price.cacheWrite),
  };
}

export const totalOf = ({ prompt, completion, cacheRead, cacheWrite }: Cost): bigint =>
  prompt + completion + cacheRead + cacheWrite;
