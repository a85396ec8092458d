import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FlakyProxy } from '../support/flaky-proxy.js';
import { aProject, TestServer } from '../support/test-server.js';
import {
  cleanUp,
  eventually,
  startStandalone,
  temporaryDirectory,
  type Program,
} from '../support/processes.js';
import { here, PYTHON, runScript, TYPESCRIPT, type Sdk } from './scenarios.js';

// The module is JavaScript without types.
const servers = '../support/servers.mjs';
const { startDependencies, unusedPort } = (await import(servers)) as {
  startDependencies: () => Promise<{ env: Record<string, string>; stop: () => Promise<void> }>;
  unusedPort: () => Promise<number>;
};

const OUTAGE_MS = 10_000;
/** Longer than the outage, so that the SDKs also send afterwards. */
const TRAFFIC_SECONDS = '20';
const KEY = process.env['TEST_KEY']!;

const SCRIPTS: readonly (readonly [Sdk, string])[] = [
  [TYPESCRIPT, 'typescript/steady.mjs'],
  ...(PYTHON.program === '' ? [] : ([[PYTHON, 'python/steady.py']] as const)),
];

/** Both SDKs make calls during the outage. In the end every call must be stored once. */
async function expectNothingLost(server: TestServer, outage: () => Promise<void>): Promise<void> {
  const projects = SCRIPTS.map(() => aProject());
  const scripts = SCRIPTS.map(([sdk, file], i) =>
    runScript(sdk, [join(here, file), projects[i]!, TRAFFIC_SECONDS], server.url),
  );
  for (const project_id of projects) {
    await eventually(async () => (await count(server, project_id)) > 0, 20_000);
  }
  await outage();
  const ended = await Promise.all(scripts);

  for (const [i, { output }] of ended.entries()) {
    const made = Number(/^MADE (\d+)$/m.exec(output)?.[1]);
    if (Number.isNaN(made)) throw new Error(`The script did not finish:\n${output.slice(-3000)}`);
    const project_id = projects[i]!;
    await eventually(async () => (await count(server, project_id)) === made, 30_000);
    const { calls } = await server.post('/calls/query', { project_id, columns: ['output'] });
    const outputs = calls.map(({ output: n }: { output: number }) => n) as number[];
    expect(outputs.sort((a, b) => a - b)).toEqual([...Array(made).keys()]);
  }
}

const count = async (server: TestServer, project_id: string): Promise<number> =>
  (await server.post('/calls/query_stats', { project_id })).count;

describe('The SDKs lose no call in an outage of ten seconds', () => {
  afterEach(() => cleanUp());

  it('when Heddle is killed and started again', async () => {
    const port = String(await unusedPort());
    const directory = temporaryDirectory();
    const start = (): Promise<Program> =>
      startStandalone(directory, { PORT: port, HEDDLE_API_KEY: KEY, HEDDLE_USER: 'ann' }, 60_000);
    const program = await start();

    await expectNothingLost(new TestServer(`http://127.0.0.1:${port}`, KEY), async () => {
      await program.stop('SIGKILL');
      await pause(OUTAGE_MS);
      await start();
    });
  }, 240_000);

  it('when Heddle cannot reach its Redis', async () => {
    const { env, stop } = await startDependencies();
    const proxy = await FlakyProxy.to(env['REDIS_URL']!);
    const port = String(await unusedPort());
    try {
      await startStandalone(
        temporaryDirectory(),
        { ...env, REDIS_URL: proxy.url, PORT: port, HEDDLE_API_KEY: KEY, HEDDLE_USER: 'ann' },
        60_000,
      );
      await expectNothingLost(new TestServer(`http://127.0.0.1:${port}`, KEY), async () => {
        proxy.disconnect();
        await pause(OUTAGE_MS);
        proxy.reconnect();
      });
    } finally {
      await cleanUp();
      await proxy.close();
      await stop();
    }
  }, 240_000);
});
