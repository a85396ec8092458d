import { statSync } from 'node:fs';
import { basename } from 'node:path';

/** These take half a minute or more. Started last, one of them would run alone at the end while the other core waits. */
const LONG = [
  'faults erasure standalone-backup standalone oracle access-matrix standalone-crash cli keys standalone-refusals',
  'fuzz read-your-writes split tracing wire fold-protocol operations python repairs',
  'fairness disk-full limits feedback tail sessions standalone-disk-full worker-memory upgrade issuer-logins',
].flatMap((line) => line.split(' '));
const nameOf = (path) => basename(path).split('.')[0];

/** Runs the longest test files first, then the largest. Jest itself knows durations only after a first run. */
export default class LongestFirst {
  sort(tests) {
    const rank = ({ path }) => {
      const place = LONG.indexOf(nameOf(path));
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
