import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { attackAll } from '../attack/attacking.mjs';
import { attackNamed } from '../attack/catalogue.mjs';
import { clientOf } from '../attack/http-client.mjs';
import { residentBytes } from '../attack/process-memory.mjs';
import { LIMITS, report } from '../attack/verdict.mjs';
import { freePort } from '@app/embedded';
import { cleanUp, startStandalone, temporaryDirectory } from '../support/processes.js';

const KEY = 'a-key-for-all-of-them';
/** Of eight megabytes each. Without what this test shows, the server keeps all of them. */
const BODIES = 80;
const TIMES = { quietMs: 1000, attackMs: 1200, recoveryMs: 6000 };

afterAll(() => cleanUp());

/** Only a server that stands still exceeds them, however busy the machine is. `npm run attack` has those that a tenant notices. */
const LENIENT_LIMITS = {
  ...LIMITS,
  p99Ms: 10_000,
  floorMs: 10_000,
  healthzMs: 10_000,
  recoverySeconds: 60,
};

let url: string;
let pid: number;

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const env = { PORT: String(port), HEDDLE_API_KEY: KEY, LOG_LEVEL: 'warn' };
  ({ pid } = await startStandalone(temporaryDirectory(), env, 60_000));
});

it('frees the bodies that it has refused while others arrive', async () => {
  const members = Array.from({ length: 400_000 }, (_, i) => `"member-${i}":${i}`).join();
  const value = `"project_id":"a/b","object_id":"large","val":{${members}}`;
  const body = Buffer.from(`{"obj":{${value}}}`);
  const send = clientOf(url, KEY);
  const before = residentBytes(pid);
  for (let sent = 0; sent < BODIES; sent += 4) {
    const responses = await Promise.all([1, 2, 3, 4].map(() => send('/obj/create', body)));
    expect(responses.map(({ status }) => status)).toEqual([413, 413, 413, 413]);
  }
  expect(residentBytes(pid) - before).toBeLessThan((BODIES * body.length) / 2);
});

it('keeps the thread that reads large bodies, with its compiled code, in pauses', async () => {
  const send = clientOf(url, KEY);
  const body = Buffer.from(JSON.stringify({ obj: { object_id: 'x', val: 'x'.repeat(9_000_000) } }));
  const sendMany = async () => {
    for (let sent = 0; sent < 5; sent++) await send('/obj/create', body);
  };
  await sendMany();
  const before = threadsOfPriority(5);
  await sleep(3000);
  await sendMany();

  expect(before).toHaveLength(1);
  expect(threadsOfPriority(5)).toEqual(before);
});

/** The ids of the threads of the server with this nice value. */
function threadsOfPriority(nice: number): string[] {
  return readdirSync(`/proc/${pid}/task`).filter((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1');
    const [, afterName = ''] = stat.split(') ');
    return Number(afterName.split(' ')[16]) === nice;
  });
}

it('serves a tenant while another sends what would stop the event loop', async () => {
  const names = ['junk-items', 'object-keys'];

  const results = await attackAll({
    server: { url, key: KEY, pid },
    attacks: names.map(attackNamed),
    times: TIMES,
    limits: LENIENT_LIMITS,
  });

  const reports = results.filter(({ failed }) => failed.length > 0).map(report);
  expect(reports.join('\n')).toBe('');
  const statuses = results.flatMap(({ outcomes }) => Object.keys(outcomes));
  expect(statuses.filter((status) => status !== '413')).toEqual([]);
});
