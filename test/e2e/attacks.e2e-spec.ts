import { availableParallelism, loadavg } from 'node:os';
import { attackAll } from '../attack/attacking.mjs';
import { attackNamed } from '../attack/catalogue.mjs';
import { LIMITS, report } from '../attack/verdict.mjs';
import { freePort } from '@app/embedded';
import { cleanUp, startStandalone, temporaryDirectory } from '../support/processes.js';

const KEY = 'a-key-for-all-of-them';
const TIMES = { quietMs: 1000, attackMs: 1200, recoveryMs: 6000 };

afterAll(() => cleanUp());

/** Latencies grow with the number of processes that share the cores: with the whole suite, or with other work on the machine. */
function limitsNow() {
  const busy = Math.max(1, loadavg()[0]! / availableParallelism());
  return {
    ...LIMITS,
    p99Ms: LIMITS.p99Ms * busy,
    ratio: LIMITS.ratio * busy,
    floorMs: LIMITS.floorMs * 5 * busy,
    healthzMs: LIMITS.healthzMs * 2 * busy,
    recoverySeconds: LIMITS.recoverySeconds * busy,
  };
}

it('serves a tenant while another sends what would stop the event loop', async () => {
  const port = await freePort();
  const { pid } = await startStandalone(
    temporaryDirectory(),
    {
      PORT: String(port),
      HEDDLE_API_KEY: KEY,
      LOG_LEVEL: 'warn',
    },
    60_000,
  );
  const names = ['junk-items', 'object-keys'];

  const results = await attackAll({
    server: { url: `http://127.0.0.1:${port}`, key: KEY, pid },
    attacks: names.map(attackNamed),
    times: TIMES,
    limits: limitsNow(),
  });

  const reports = results.filter(({ failed }) => failed.length > 0).map(report);
  expect(reports.join('\n')).toBe('');
  const statuses = results.flatMap(({ outcomes }) => Object.keys(outcomes));
  expect(statuses.filter((status) => status !== '413')).toEqual([]);
}, 240_000);
