#!/usr/bin/env node
// npm run attack -- [--short] [--only name,name] [--json file]
// Starts a server of its own on loopback, attacks it with the weakest API keys, and measures a victim of another tenant.
// Exits with 0 when no attack exceeds a limit, and the memory returns. An attack during which the host took the processors is repeated.
// It takes no address, so that it cannot be pointed at another server.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startStandalone } from '../support/servers.mjs';
import { attackAll, longestLag, LONG, newKey, SHORT } from './attacking.mjs';
import { ATTACKS } from './catalogue.mjs';
import { clientOf } from './http-client.mjs';
import { LAG_MAX_MS, sendLargest } from './single-requests.mjs';
import { memoryReport, memoryVerdict, sendOrdinaryLoad, ServerMemory } from './settled-memory.mjs';
import { report } from './verdict.mjs';

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    json: { type: 'string' },
  },
});
const only = flags.only?.split(',');
const unknown = only?.filter((name) => !ATTACKS.some((attack) => attack.name === name)) ?? [];
if (unknown.length > 0) {
  const names = ATTACKS.map(({ name }) => name).join(', ');
  console.error(`There is no attack called ${unknown.join(', ')}. Attacks: ${names}.`);
  process.exit(1);
}
const attacks = ATTACKS.filter(({ name }) => only?.includes(name) ?? true);

/** For an attack during which the host of this machine gave the processors to others. */
const ATTEMPTS = 4;

const server = await startStandalone({
  LOG_LEVEL: 'warn',
  READ_WAIT_MS: '1000',
  USER_MAX_NEW_PROJECTS_PER_HOUR: '1000',
});
const { TEST_URL: url, TEST_KEY: key } = server.env;
const memory = new ServerMemory(server.pid);
try {
  console.log('An ordinary load first, and the memory that the server has after it (a minute).\n');
  await sendOrdinaryLoad({ url, key });
  const before = await memory.settled();
  const slow = only === undefined ? await blocking() : [];
  const results = await attackAll({
    server: { url, key, pid: server.pid },
    attacks,
    times: flags.short ? SHORT : LONG,
    attempts: ATTEMPTS,
    onResult: (result) => console.log(`${report(result)}\n`),
  });
  const bad = results.filter(({ failed }) => failed.length > 0);
  console.log(`${results.length - bad.length} of ${results.length} attacks went unnoticed.`);
  const used = { before, most: memory.most, after: await memory.settled() };
  console.log(memoryReport(used));
  if (flags.json) writeFileSync(flags.json, JSON.stringify({ results, memory: used }, null, 2));
  process.exitCode = bad.length + slow.length + memoryVerdict(used).length > 0 ? 1 : 0;
} finally {
  memory.stop();
  await server.stop();
}

/** Sends the largest bodies one by one. Those that block the event loop for too long. */
async function blocking() {
  const project = 'alone/demo';
  const writer = await newKey(clientOf(url, key), project, 'write');
  const lag = () => longestLag(url);
  const results = await sendLargest({ url, key: writer, project, longestLag: lag });
  console.log(
    `Longest time for which one request blocked the event loop (limit ${LAG_MAX_MS} ms):`,
  );
  for (const { what, bytes, statuses, lagMs } of results) {
    const size = `${(bytes / 1e6).toFixed(1)} MB`.padStart(8);
    console.log(
      `  ${`${Math.round(lagMs)} ms`.padStart(7)} ${size}  ${statuses.join('/')}  ${what}`,
    );
  }
  console.log('');
  return results.filter(({ lagMs }) => lagMs > LAG_MAX_MS);
}
