import { readFileSync } from 'node:fs';
import { freePort } from '@app/embedded';
import { aProject, TestServer } from '../support/test-server.js';
import {
  allArrived,
  childrenOf,
  cleanUp,
  descendantsOf,
  eventually,
  isAlive,
  killOne,
  startStandalone,
  temporaryDirectory,
  Traffic,
  type Entry,
  type Program,
} from '../support/processes.js';

/** The jobs of a killed worker run again when their locks have expired. */
const ARRIVED_WITHIN_MS = 80_000;
const GIVEN = { HEDDLE_API_KEY: 'a-key-of-the-environment', HEDDLE_USER: 'bea' };

afterAll(() => cleanUp());

async function aPlace() {
  const PORT = String(await freePort());
  return {
    dataDir: temporaryDirectory(),
    env: { PORT, ...GIVEN },
    server: new TestServer(`http://127.0.0.1:${PORT}`, GIVEN.HEDDLE_API_KEY),
    project_id: aProject(),
  };
}

describe('a standalone server whose processes are killed', () => {
  it.concurrent(
    'has every acknowledged call after kill -9 under load, and none of its processes outlives it',
    async () => {
      const { dataDir, env, server, project_id } = await aPlace();
      const killed = await startStandalone(dataDir, env);
      const traffic = new Traffic(server, project_id, 4);
      await traffic.acknowledgedMore(2000);
      const family = descendantsOf(killed.pid);
      expect(family.length).toBeGreaterThanOrEqual(3);
      for (const { pid } of family)
        expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).not.toContain(env.HEDDLE_API_KEY);

      await killed.stop('SIGKILL');
      await traffic.stop();
      await eventually(
        () => !family.some(isAlive),
        10_000,
        () => `Left: ${left(family)}`,
      );

      const next = await startStandalone(dataDir, env);
      await allArrived(server, project_id, traffic.acknowledged, ARRIVED_WITHIN_MS);
      const id = traffic.acknowledged.at(-1)!;
      const { call } = await server.post('/call/read', { project_id, id });
      expect(call).toMatchObject({ wb_user_id: 'bea' });

      // The next server starts at once, while children of the killed one may still be ending.
      const others = descendantsOf(next.pid);
      await next.stop('SIGKILL');
      await startStandalone(dataDir, env);
      await allArrived(server, project_id, traffic.acknowledged, ARRIVED_WITHIN_MS);
      expect(others.filter(isAlive)).toEqual([]);
    },
    600_000,
  );

  it.concurrent(
    'restarts a child that was killed, accepts calls meanwhile, and loses none',
    async () => {
      const { dataDir, env, server, project_id } = await aPlace();
      const program = await startStandalone(dataDir, env);
      const traffic = new Traffic(server, project_id, 2);
      await traffic.acknowledgedMore(200);

      for (const [name, part] of [
        ['Worker', /worker\/src\/main\.js/],
        ['ClickHouse', /clickhouse/],
      ] as const) {
        const dead = await killed(program, part);
        await traffic.acknowledgedMore(200);
        await isBack(program, part, dead);
        await program.printed(new RegExp(`"msg":"${name} is ready again\\."`));
        expect(program.stderr).toContain(`"msg":"${name} exited unexpectedly; restarting in `);
      }
      expect([...traffic.statuses.keys()]).toEqual([200]);

      const dead = await killed(program, /redis-server|valkey-server/);
      await eventually(() => traffic.count(503) > 0, 5000);
      expect(traffic.retryAfter).toBe('1');
      await isBack(program, /redis-server|valkey-server/, dead);
      await traffic.acknowledgedMore(200);
      await traffic.stop();

      expect([...traffic.statuses.keys()].sort()).toEqual([200, 503]);
      await allArrived(server, project_id, traffic.acknowledged, ARRIVED_WITHIN_MS);
      await eventually(
        async () => (await server.send('/readyz', undefined, GET)).status === 200,
        5000,
      );
      expect(await program.stop('SIGINT', 10_000)).toEqual({ code: 0, signal: null });
    },
    600_000,
  );
});

const GET = { method: 'GET', key: null };

async function killed(program: Program, part: RegExp): Promise<Entry> {
  const child = childrenOf(program.pid).find(({ command }) => part.test(command))!;
  killOne(child);
  await eventually(() => !isAlive(child), 5000);
  return child;
}

async function isBack(program: Program, part: RegExp, dead: Entry): Promise<void> {
  await eventually(
    () => childrenOf(program.pid).some((e) => part.test(e.command) && e.pid !== dead.pid),
    10_000,
    () => `There is no new ${part}`,
  );
}

const left = (family: readonly Entry[]) =>
  family
    .filter(isAlive)
    .map(({ command }) => command)
    .join(', ');
