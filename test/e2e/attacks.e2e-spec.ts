import { attackAll } from '../attack/attacking.mjs';
import { attackNamed } from '../attack/catalogue.mjs';
import { LIMITS, report } from '../attack/verdict.mjs';
import { freePort } from '@app/embedded';
import { cleanUp, startStandalone, temporaryDirectory } from '../support/processes.js';

const KEY = 'a-key-for-all-of-them';
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
    limits: LENIENT_LIMITS,
  });

  const reports = results.filter(({ failed }) => failed.length > 0).map(report);
  expect(reports.join('\n')).toBe('');
  const statuses = results.flatMap(({ outcomes }) => Object.keys(outcomes));
  expect(statuses.filter((status) => status !== '413')).toEqual([]);
});
