import { fuzz, report } from '../fuzz/fuzzing.mjs';
import { sharedServer } from '../support/test-server.js';

/** `npm run fuzz` sends more. */
const REQUESTS = 1000;
const MiB = 1024 * 1024;

describe('a thousand malformed requests', () => {
  it('get a response below 500 in time, and do not grow the memory of the server', async () => {
    const { url, key } = sharedServer();

    const result = await fuzz({ url, key, requests: REQUESTS, seed: 20_260_301, clients: 8 });

    expect(result.failures.length === 0 ? '' : report(result)).toBe('');
    const responses = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
    expect(responses).toBe(REQUESTS);
    expect(result.statuses[200]).toBeGreaterThan(REQUESTS / 20);
    expect(result.rss.at(-1)! - result.rss[0]!).toBeLessThan(300 * MiB);
  });
});
