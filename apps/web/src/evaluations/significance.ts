/** The value of one example in two runs. */
export interface Pair {
  readonly baseline: number;
  readonly candidate: number;
}

export interface Significance {
  readonly pairs: number;
  /** Mean of candidate minus baseline. */
  readonly difference: number;
  readonly higher: number;
  readonly lower: number;
  /** Two-sided; 1 when no pair differs. */
  readonly p: number;
  readonly test: 'mcnemar' | 'permutation';
}

/**
 * Whether two runs differ by more than chance. Pass or fail: the exact McNemar test, over the examples that only one run
 * passed. Other numbers: a paired permutation test of the mean difference, which needs no normal distribution.
 */
export function significanceOf(pairs: readonly Pair[]): Significance {
  const differences = pairs.map(({ baseline, candidate }) => candidate - baseline);
  const higher = differences.filter((one) => one > 0).length;
  const lower = differences.filter((one) => one < 0).length;
  const isBinary = pairs.every(({ baseline, candidate }) => isBit(baseline) && isBit(candidate));
  return {
    pairs: pairs.length,
    difference: pairs.length === 0 ? 0 : sum(differences) / pairs.length,
    higher,
    lower,
    p: isBinary ? mcnemar(higher, lower) : permutation(differences),
    test: isBinary ? 'mcnemar' : 'permutation',
  };
}

const isBit = (value: number) => value === 0 || value === 1;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Two-sided binomial test of the pairs that differ: by chance each direction is equally likely. */
export function mcnemar(higher: number, lower: number): number {
  const count = higher + lower;
  if (count === 0) return 1;
  // In logarithms, because 2^-5000 is no number of a double.
  let logTerm = -count * Math.LN2;
  let tail = Math.exp(logTerm);
  for (let k = 1; k <= Math.min(higher, lower); k++) {
    logTerm += Math.log((count - k + 1) / k);
    tail += Math.exp(logTerm);
  }
  return Math.min(1, 2 * tail);
}

/** With so few differences that every combination of signs is counted. */
const EXACT_MAX = 14;
const FLIPS_MAX = 10_000;
/** Additions of one test, so that a comparison of thousands of examples stays quick. */
const ADDITIONS_MAX = 10_000_000;
/** Sums of the same numbers in another order differ by less. */
const ROUNDING = 1e-9;

/** How often random signs give a sum at least as far from 0 as the true signs do. */
export function permutation(differences: readonly number[]): number {
  const sizes = differences.filter((one) => one !== 0);
  if (sizes.length === 0) return 1;
  const scale = Math.max(...sizes.map(Math.abs));
  const limit = Math.abs(sum(sizes)) - ROUNDING * scale;
  return sizes.length <= EXACT_MAX ? exactShare(sizes, limit) : sampledShare(sizes, limit);
}

function exactShare(sizes: readonly number[], limit: number): number {
  const all = 2 ** sizes.length;
  let extreme = 0;
  for (let signs = 0; signs < all; signs++) {
    let total = 0;
    for (const [i, size] of sizes.entries()) total += (signs >> i) & 1 ? size : -size;
    if (Math.abs(total) >= limit) extreme++;
  }
  return extreme / all;
}

function sampledShare(sizes: readonly number[], limit: number): number {
  const random = bits();
  const flips = Math.max(1000, Math.min(FLIPS_MAX, Math.floor(ADDITIONS_MAX / sizes.length)));
  let extreme = 0;
  for (let flip = 0; flip < flips; flip++) {
    let total = 0;
    for (const size of sizes) total += random() ? size : -size;
    if (Math.abs(total) >= limit) extreme++;
  }
  // The true signs are one of the combinations.
  return (extreme + 1) / (flips + 1);
}

/** Always the same sequence (xorshift), so that a link shows the same value to every user. */
function bits(): () => boolean {
  let state = 0x2545f491;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state & 0x10000) !== 0;
  };
}

/** Holm's correction: among many comparisons, some are below a bound by chance. In the order of the values. */
export function holm(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const adjusted = new Array<number>(values.length);
  let largest = 0;
  for (const [place, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, values[index]! * (values.length - place)));
    adjusted[index] = largest;
  }
  return adjusted;
}
