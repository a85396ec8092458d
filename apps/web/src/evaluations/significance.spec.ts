import { holm, mcnemar, permutation, significanceOf, type Pair } from './significance.js';

const pairs = (...values: readonly (readonly [number, number])[]): Pair[] =>
  values.map(([baseline, candidate]) => ({ baseline, candidate }));

describe('significance', () => {
  it('of pass or fail is the exact McNemar test', () => {
    // Binomial tails: 2 · (1 + 10) / 2^10 and 2 · 1 / 2^6.
    expect(mcnemar(9, 1)).toBeCloseTo(0.021484375, 12);
    expect(mcnemar(0, 6)).toBeCloseTo(0.03125, 12);
    expect([mcnemar(0, 0), mcnemar(3, 3)]).toEqual([1, 1]);
  });

  it('of pass or fail stays a number for thousands of examples', () => {
    expect(mcnemar(2500, 2500)).toBe(1);
    expect(mcnemar(2400, 2600)).toBeCloseTo(0.00488, 4);
    expect(mcnemar(0, 5000)).toBe(0);
  });

  it('of numbers counts the combinations of signs that are as extreme', () => {
    // All six differences have the same sign: 2 of 2^6 combinations.
    expect(permutation([1, 2, 3, 4, 5, 6])).toBe(2 / 64);
    expect(permutation([0.1, 0.2, 0.3])).toBe(2 / 8);
    expect(permutation([])).toBe(1);
    expect(permutation([0, 0])).toBe(1);
    expect(permutation([1, -1])).toBe(1);
  });

  it('of many numbers is sampled, and the same every time', () => {
    const shifted = Array.from({ length: 200 }, (_, i) => ((i * 37) % 101) / 101 - 0.3);
    const centred = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 1 : -1) * (1 + (i % 7)));
    expect(permutation(shifted)).toBeLessThan(0.001);
    expect(permutation(centred)).toBeGreaterThan(0.05);
    expect(permutation(shifted)).toBe(permutation(shifted));
  });

  it('names the test and counts the examples that changed', () => {
    const passes = pairs([1, 1], [0, 1], [1, 0], [0, 0]);
    expect(significanceOf(passes)).toEqual({
      ...{ pairs: 4, difference: 0, higher: 1, lower: 1, p: 1, test: 'mcnemar' },
    });
    expect(significanceOf(pairs([0.5, 0.75], [1, 1]))).toMatchObject({
      ...{ pairs: 2, difference: 0.125, higher: 1, lower: 0, p: 1, test: 'permutation' },
    });
    expect(significanceOf([])).toMatchObject({ pairs: 0, difference: 0, p: 1 });
  });

  it('of many comparisons is corrected by Holm', () => {
    expect(holm([0.01, 0.04, 0.03])).toEqual([0.03, 0.06, 0.06]);
    expect(holm([0.9, 0.8])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});
