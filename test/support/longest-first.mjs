import { statSync } from 'node:fs';

/** These take minutes. Started last, one of them would run alone at the end while the other core waits. */
const LONG = ['faults', 'oracle', 'cli', 'erasure', 'wire', 'fuzz', 'standalone-refusals', 'keys'];

/** Runs the longest test files first, then the largest. Jest itself knows durations only after a first run. */
export default class LongestFirst {
  sort(tests) {
    const rank = ({ path }) => {
      const place = LONG.findIndex((name) => path.endsWith(`/${name}.e2e-spec.ts`));
      return place === -1 ? LONG.length : place;
    };
    const sized = tests.map((test) => ({ test, bytes: statSync(test.path).size }));
    return sized
      .sort((a, b) => rank(a.test) - rank(b.test) || b.bytes - a.bytes)
      .map(({ test }) => test);
  }

  shard(tests) {
    return tests;
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
