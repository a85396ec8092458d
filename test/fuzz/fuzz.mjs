// npm run fuzz -- [--requests 100000] [--seed 1] [--clients 8] [--first 0]
import { parseArgs } from 'node:util';
import { startStandalone } from '../support/servers.mjs';
import { fuzz, report } from './fuzzing.mjs';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '8' },
  },
});
const [requests, seed, clients] = [values.requests, values.seed, values.clients].map(Number);

const house = await startStandalone({ READ_WAIT_MS: '1000' });
const began = performance.now();
const result = await fuzz({
  url: house.env.TEST_URL,
  key: house.env.TEST_KEY,
  requests,
  seed,
  clients,
  onProgress: (sent, { failures }) => {
    if (sent % 5000 === 0) console.error(`${sent} requests, ${failures.length} failures`);
  },
});
await house.stop();
console.log(
  `${requests} requests, seed ${seed}, ${clients} clients, ${Math.round((performance.now() - began) / 1000)} s`,
);
console.log(report(result));
process.exitCode = result.failures.length > 0 ? 1 : 0;
