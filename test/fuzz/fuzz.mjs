// npm run fuzz -- [--requests 100000] [--seed 1] [--clients 8]
// Exits with 0 when nothing failed and memory was flat in the second half, and with 1 otherwise.
import { parseArgs } from 'node:util';
import { startStandalone } from '../support/servers.mjs';
import { fuzz, hasGrown, inMiB, report } from './fuzzing.mjs';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '8' },
  },
});
const [requests, seed, clients] = [values.requests, values.seed, values.clients].map(Number);

/** A small heap: with a large one garbage is collected late, and resident memory grows without a leak. */
const NODE_OPTIONS = '--max-old-space-size=192';
const server = await startStandalone({ READ_WAIT_MS: '1000', NODE_OPTIONS });
const began = performance.now();
const result = await fuzz({
  url: server.env.TEST_URL,
  key: server.env.TEST_KEY,
  requests,
  seed,
  clients,
  onProgress: (sent, { failures, rss }) => {
    if (sent % 10_000 !== 0) return;
    const seconds = Math.round((performance.now() - began) / 1000);
    const memory = `resident memory ${inMiB(rss.at(-1))} MiB`;
    console.error(`${sent} requests, ${seconds} s, ${failures.length} failures, ${memory}`);
  },
});
await server.stop();
console.log(
  `${requests} requests, seed ${seed}, ${clients} clients, ${Math.round((performance.now() - began) / 1000)} s`,
);
console.log(report(result));
process.exitCode = result.failures.length > 0 || hasGrown(result.rss) ? 1 : 0;
