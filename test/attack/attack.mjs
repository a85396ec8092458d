#!/usr/bin/env node
// npm run attack -- [--short] [--only name,name] [--json file]
// Starts a server of its own on loopback, attacks it with the weakest API keys, and measures a victim of another tenant.
// Exits with 0 when no attack exceeds a limit. It takes no address, so that it cannot be pointed at another server.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startStandalone } from '../support/servers.mjs';
import { attackAll, LONG, SHORT } from './attacking.mjs';
import { ATTACKS } from './catalogue.mjs';
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

const server = await startStandalone({
  LOG_LEVEL: 'warn',
  READ_WAIT_MS: '1000',
  USER_MAX_NEW_PROJECTS_PER_HOUR: '1000',
});
const { TEST_URL: url, TEST_KEY: key } = server.env;
try {
  const results = await attackAll({
    server: { url, key, pid: server.pid },
    attacks,
    times: flags.short ? SHORT : LONG,
    onResult: (result) => console.log(`${report(result)}\n`),
  });
  const bad = results.filter(({ failed }) => failed.length > 0);
  console.log(`${results.length - bad.length} of ${results.length} attacks went unnoticed.`);
  if (flags.json) writeFileSync(flags.json, JSON.stringify(results, null, 2));
  process.exitCode = bad.length > 0 ? 1 : 0;
} finally {
  await server.stop();
}
