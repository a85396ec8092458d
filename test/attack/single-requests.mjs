import { setTimeout as sleep } from 'node:timers/promises';
import { STOLEN_MAX, StolenTime } from '../support/stolen-time.mjs';
import { clientOf } from './http-client.mjs';

/** One request may hold the event loop for at most this long. */
export const LAG_MAX_MS = 50;
/** The shortest of these counts: other processes and the garbage of earlier requests delay single ones. */
const TIMES = 5;
/** While the host gave the processors to others, a time does not count, unless it is one of the last of these. */
const TIMES_MAX = 20;
/** The event loop is measured in steps of 10 ms. */
const SETTLE_MS = 100;

const startedAt = new Date().toISOString();
const start = (project, fields = {}) => ({
  ...{ project_id: project, op_name: 'attack', started_at: startedAt, attributes: {}, inputs: {} },
  ...fields,
});
const repeated = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const json = (value) => Buffer.from(JSON.stringify(value));
const keyed = (count) => Object.fromEntries(repeated(count, (i) => [`k${i}`, i]));

/** The largest bodies of each kind that are allowed, and some that are refused: `[what, path, body]`. */
export const LARGEST = [
  [
    '20,000 starts of a call, small',
    '/call/upsert_batch',
    (project) =>
      json({ batch: repeated(20_000, () => ({ mode: 'start', req: { start: start(project) } })) }),
  ],
  [
    '10,000 starts of a call of 3 KB',
    '/call/upsert_batch',
    (project) => {
      const inputs = { text: 'x'.repeat(3000) };
      const one = { mode: 'start', req: { start: start(project, { inputs }) } };
      return json({ batch: repeated(10_000, () => one) });
    },
  ],
  [
    'one start with 30 MB',
    '/call/start',
    (project) => json({ start: start(project, { inputs: { text: 'x'.repeat(30_000_000) } }) }),
  ],
  [
    'one start with 45,000 keys',
    '/call/start',
    (project) => json({ start: start(project, { inputs: keyed(45_000) }) }),
  ],
  [
    '1,000 malformed items',
    '/call/upsert_batch',
    (project) =>
      json({
        batch: repeated(1000, (i) => ({
          mode: 'start',
          req: { start: { project_id: project, i } },
        })),
      }),
  ],
  [
    'a table of 100,000 rows',
    '/table/create',
    (project, nth) =>
      json({
        table: {
          project_id: project,
          rows: repeated(100_000, (i) => ({ i, nth, text: 'y'.repeat(150) })),
        },
      }),
  ],
  [
    'an object with 45,000 keys',
    '/obj/create',
    (project, nth) =>
      json({ obj: { project_id: project, object_id: 'o', val: { ...keyed(45_000), nth } } }),
  ],
  [
    'an object with 30 MB',
    '/obj/create',
    (project, nth) =>
      json({
        obj: { project_id: project, object_id: 'o', val: { text: 'x'.repeat(30_000_000), nth } },
      }),
  ],
  [
    '1,000 pieces of feedback',
    '/feedback/batch/create',
    (project) =>
      json({
        batch: repeated(1000, (i) => ({
          ...{ project_id: project, weave_ref: `weave:///${project}/call/c${i}` },
          ...{ feedback_type: 'attack', payload: { text: 'z'.repeat(500) } },
        })),
      }),
  ],
  [
    'a body of 4 MB for a query',
    '/calls/query_stats',
    (project) => json({ project_id: project, pad: 'x'.repeat(4_100_000) }),
  ],
  [
    'a million values',
    '/obj/create',
    (project) =>
      json({ obj: { project_id: project, object_id: 'o', val: repeated(999_000, () => 1) } }),
  ],
];

/** Sends each of the largest bodies alone. Resolves with `{ what, statuses, bytes, lagMs }` of each. */
export async function sendLargest({ url, key, project, longestLag }) {
  const send = clientOf(url, key);
  const results = [];
  for (const [what, path, bodyOf] of LARGEST) {
    const lags = [];
    const statuses = new Set();
    let bytes = 0;
    for (let nth = 0; lags.length < TIMES; nth++) {
      const time = new StolenTime();
      const body = bodyOf(project, `${nth}-${performance.now()}`);
      bytes = body.length;
      await sleep(SETTLE_MS);
      await longestLag();
      const { status } = await send(path, body);
      await sleep(SETTLE_MS);
      const lag = await longestLag();
      statuses.add(status);
      const isLate = TIMES_MAX - nth <= TIMES - lags.length;
      if (isLate || time.share() <= STOLEN_MAX) lags.push(lag);
    }
    results.push({ what, bytes, statuses: [...statuses], lagMs: Math.min(...lags), lags });
  }
  return results;
}
