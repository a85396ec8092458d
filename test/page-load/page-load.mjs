// `npm run test:page-load [-- --only find,trace,prices,live] [--calls 1000000] [--keep <dir>]` opens the page on a project of a
// million calls, sets a price in the past of a million, and follows one that 200 calls a second arrive in. It prints what each step took and fails above the limits.
// Run it on an idle machine. It starts its own processes in a temporary directory.
//   --keep <dir>  loads the calls into this directory and keeps it; calls of an earlier run are used again
import { mkdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowser } from '../support/chromium.mjs';
import { startLoadServer } from '../support/load-server.mjs';
import { findCalls } from './find-calls.mjs';
import { Figures } from './figures.mjs';
import { followCalls } from './follow-calls.mjs';
import { loadCalls } from './many-calls.mjs';
import { openTrace } from './open-trace.mjs';
import { priceCalls } from './price-calls.mjs';

const PARTS = { find: findCalls, trace: openTrace, prices: priceCalls, live: followCalls };
/** Parts that read the calls of `loadCalls`. */
const USES_CALLS = ['find', 'trace'];
const { values: given } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(PARTS).join(',') },
    calls: { type: 'string', default: '1000000' },
    keep: { type: 'string' },
  },
});
const chosen = given.only.split(',');
const unknown = chosen.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(1);
}
const kept = given.keep && resolve(given.keep);
if (kept) mkdirSync(kept, { recursive: true });

const server = await startLoadServer({
  name: 'page-load',
  ...(kept && { directory: kept }),
  env: { LOGIN_MAX_FAILURES_PER_MINUTE: '0' },
});
const figures = new Figures(server);
let browser;
try {
  const calls = Number(given.calls);
  if (chosen.some((name) => USES_CALLS.includes(name))) await loadCalls(server, calls);
  browser = await openBrowser();
  for (const name of chosen) await PARTS[name]({ server, browser, figures, calls });
} finally {
  await browser?.close();
  await server.stop({ keepFiles: kept !== undefined });
}
const missed = figures.print();
const load = loadavg()
  .map((one) => one.toFixed(1))
  .join(', ');
console.log(`${cpus().length} cores, load average ${load}.`);
console.log(missed === 0 ? 'Every limit was kept.' : `${missed} limits were not kept.`);
process.exit(missed === 0 ? 0 : 1);
