import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMicros, percentile } from '../support/proc-cpu.mjs';
import { Tab } from './tab.mjs';

const PROJECT = 'live/tail';
const OP = 'agent.run';
const LIST = `/${PROJECT}/weave/traces?q=${encodeURIComponent(`op = ${OP}`)}`;
const CALLS_PER_SECOND = 200;
const SECONDS = 30;
const PER_REQUEST = 10;
/** One call in this many is of the op that the list shows. */
const ONE_IN = 5;
const P95_LIMIT_MS = 1000;
const RESTART_AFTER_MS = 10_000;
/** Calls arrive for this long after it. */
const AFTER_RESTART_MS = 15_000;
const ARRIVED_WITHIN_MS = 30_000;
/** Only visible calls have a row: high enough for all calls of a second. */
const HEIGHT = 2000;

/** Follows a list while calls arrive: in peace, and while the query process is restarted. */
export async function followCalls({ server, browser, figures }) {
  await follow({ server, browser, figures, restarts: false });
  await follow({ server, browser, figures, restarts: true });
}

async function follow({ server, browser, figures, restarts }) {
  const name = restarts ? 'over a restart of query' : 'in peace';
  const tab = await Tab.open(browser, server, { path: LIST, height: HEIGHT });
  await tab.page.getByRole('button', { name: 'Live', pressed: true }).waitFor();
  await tab.page
    .getByText(/traces?$/)
    .or(tab.page.getByText('No trace'))
    .first()
    .waitFor();
  await watchRows(tab);
  const [cpuBefore, taskBefore] = [cpuMicros(server.query.pid), await tab.taskMs()];
  const run = `${restarts ? 'b' : 'a'}${Date.now()}`;
  const restart = restarts ? restarted(server) : sleep(SECONDS * 1000 - AFTER_RESTART_MS);
  const sent = await sendCalls(server, run, restart);
  const restartedAt = await restart;
  await arrived(tab, sent);

  const seen = await tab.page.evaluate(() => [...window.rowsSeen]);
  const late = delays(sent, new Map(seen), restartedAt);
  figures.add(`live, ${name}: calls of the list`, late.length);
  figures.add(`live, ${name}: p50 after the 2xx, ms`, Math.round(percentile(late, 0.5)));
  figures.add(
    `live, ${name}: p95 after the 2xx, ms`,
    Math.round(percentile(late, 0.95)),
    P95_LIMIT_MS,
  );
  figures.add(`live, ${name}: slowest, ms`, Math.round(Math.max(...late)));
  const seconds = sent.size / (CALLS_PER_SECOND / ONE_IN);
  const busy = ((await tab.taskMs()) - taskBefore) / (seconds * 10);
  figures.add(`live, ${name}: main thread of the page, % of a core`, Math.round(busy));
  if (!restarts) {
    const query = (cpuMicros(server.query.pid) - cpuBefore) / 1000 / (seconds * 10);
    figures.add(`live, ${name}: query process, % of a core`, Math.round(query));
  }
  await isComplete(tab, [...sent.keys()], run);
  figures.add(
    `live, ${name}: rows that were there twice`,
    await tab.page.evaluate(() => window.rowsTwice),
    0,
  );
  await tab.close();
}

/** Notes in the page when each row appears first, and whether one is there twice. */
function watchRows(tab) {
  return tab.page.evaluate(() => {
    window.rowsSeen = new Map();
    window.rowsTwice = 0;
    const look = () => {
      const now = Date.now();
      const ids = [...document.querySelectorAll('tbody a[id^=row-]')].map(({ id }) => id);
      window.rowsTwice += ids.length - new Set(ids).size;
      for (const id of ids) if (!window.rowsSeen.has(id)) window.rowsSeen.set(id, now);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
}

/** Sends calls at a constant rate until some time after `event`. Resolves with those of the op: row → time of the 2xx. */
async function sendCalls(server, run, event) {
  const sent = new Map();
  const begun = performance.now();
  const sending = [];
  let isOver = false;
  const over = event.then(() => sleep(AFTER_RESTART_MS)).then(() => (isOver = true));
  for (let first = 0; !isOver; first += PER_REQUEST) {
    const wait = begun + (first / CALLS_PER_SECOND) * 1000 - performance.now();
    if (wait > 0) await sleep(wait);
    const numbers = Array.from({ length: PER_REQUEST }, (_, n) => first + n);
    const body = JSON.stringify({ batch: numbers.flatMap((n) => itemsOf(run, n)) });
    sending.push(
      server.sendBatch(body).then(() => {
        const now = Date.now();
        for (const n of numbers) if (n % ONE_IN === 0) sent.set(`row-${run}-${n}`, now);
      }),
    );
  }
  await Promise.all([over, ...sending]);
  return sent;
}

function itemsOf(run, n) {
  const now = Date.now();
  const id = `${run}-${n}`;
  const op = n % ONE_IN === 0 ? OP : `other.${n % ONE_IN}`;
  const start = {
    project_id: PROJECT,
    id,
    trace_id: id,
    parent_id: null,
    op_name: `weave:///${PROJECT}/op/${op}:v1`,
    // Microseconds by number, so that the order of the list is that of the numbers.
    started_at: new Date(now).toISOString().replace('Z', `${String(n % 1000).padStart(3, '0')}Z`),
    attributes: {},
    inputs: { n, text: 'an input of some length '.repeat(8) },
  };
  const end = {
    project_id: PROJECT,
    id,
    ended_at: new Date(now + 5).toISOString(),
    output: { text: 'an output of some length '.repeat(8) },
    summary: {},
  };
  return [
    { mode: 'start', req: { start } },
    { mode: 'end', req: { end } },
  ];
}

/** Restarts the query process. Resolves with the time at which it ended and that at which it responds again. */
async function restarted(server) {
  await sleep(RESTART_AFTER_MS);
  const from = Date.now();
  await server.query.stop();
  await server.query.start();
  return { from, to: Date.now() };
}

async function arrived(tab, sent) {
  const last = [...sent.keys()].at(-1);
  await tab.page.waitForFunction((id) => window.rowsSeen.has(id), last, {
    timeout: ARRIVED_WITHIN_MS,
  });
}

/**
 * How long after its 2xx each call was shown. Nothing can be shown while the query process does not respond: what was
 * sent then, or could not be shown before, is counted from its return. A call that the list had, but below the visible
 * rows, was there with the first newer one.
 */
function delays(sent, seen, restart) {
  const since = (at) =>
    restart && at >= restart.from - P95_LIMIT_MS && at < restart.to ? restart.to : at;
  let newer = Infinity;
  return [...sent].toReversed().map(([row, at]) => {
    newer = Math.min(newer, seen.get(row) ?? Infinity);
    return Math.max(0, (seen.get(row) ?? newer) - since(at));
  });
}

/** Every call is in the list, and none twice: scrolls through all of it. */
async function isComplete(tab, expected, run) {
  const list = tab.page.getByRole('region', { name: 'Traces' });
  const found = new Set();
  const size = expected.length;
  for (let n = 0; n < 200 && found.size < size; n++) {
    for (const row of await tab.rows()) {
      const id = row.split(' | ')[0];
      if (id.startsWith(`row-${run}-`)) found.add(id);
    }
    await list.evaluate((element) => element.scrollBy(0, element.clientHeight / 2));
    await sleep(100);
  }
  assert.deepEqual([...found].toSorted(), expected.toSorted());
}
