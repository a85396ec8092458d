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
  const perToken = unitsPerToken(price);
  return {
    prompt: BigInt(tokens.uncached) * perToken.prompt,
    completion: BigInt(tokens.completion) * perToken.completion,
    cacheRead: BigInt(tokens.cacheRead) * perToken.cacheRead,
    cacheWrite: BigInt(tokens.cacheWrite) * perToken.cacheWrite,
  };
}

/** Many calls have the same price. */
const known = new WeakMap<Price, Cost>();

function unitsPerToken(price: Price): Cost {
  const cached = known.get(price);
  if (cached !== undefined) return cached;
  const units = {
    prompt: unitsOf(price.prompt),
    completion: unitsOf(price.completion),
    cacheRead: unitsOf(price.cacheRead),
    cacheWrite: unitsOf(price.cacheWrite),
  };
  known.set(price, units);
  return units;
}

export const totalOf = ({ prompt, completion, cacheRead, cacheWrite }: Cost): bigint =>
  prompt + completion + cacheRead + cacheWrite;
