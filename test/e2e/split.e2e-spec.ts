import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freePort, startClickHouse, startRedis } from '@app/embedded';
import { createLogger } from '@app/observability';
import { Redis } from '@app/redis';
import { aProject, TestServer } from '../support/test-server.js';
import {
  allArrived,
  cleanUp,
  eventually,
  root,
  startNode,
  temporaryDirectory,
  Traffic,
  type Program,
} from '../support/processes.js';
import { aStart, anEnd } from '../support/records.js';

const KEY = 'a-key-for-all-of-them';
const GET = { method: 'GET', key: null };
const CALLS = 300;
const CLIENTS = 10;

interface Part {
  readonly program: Program;
  readonly server: TestServer;
}

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as { services: Record<string, { command: string[] }> };

let store: Record<string, string>;
let stopStore: () => Promise<void>;
let ingest: [Part, Part];
let workers: [Part, Part];
let query: Part;

async function startPart(name: 'ingest' | 'worker' | 'query'): Promise<Part> {
  const port = await freePort();
  const env = { ...store, HEDDLE_API_KEY: KEY, LOG_LEVEL: 'warn', PORT: String(port) };
  const program = startNode(services[name]!.command.slice(1), { env });
  return { program, server: new TestServer(`http://127.0.0.1:${port}`, KEY) };
}

const parts = () => [...ingest, ...workers, query];
const isReady = async ({ server }: Part) =>
  (await server.send('/readyz', undefined, GET)).status === 200;

beforeAll(async () => {
  const directory = temporaryDirectory();
  const logger = createLogger('test', 'error');
  const serverEntry = join(root, 'dist/libs/embedded/src/clickhouse-server/main.js');
  const [redis, clickhouse] = await Promise.all([
    startRedis({ directory: join(directory, 'redis'), logger }),
    startClickHouse({ directory: join(directory, 'clickhouse'), logger, serverEntry }),
  ]);
  stopStore = async () => void (await Promise.all([redis.stop(), clickhouse.stop()]));
  store = {
    REDIS_URL: redis.url,
    CLICKHOUSE_URL: clickhouse.url,
    CLICKHOUSE_USER: clickhouse.username,
    CLICKHOUSE_PASSWORD: clickhouse.password,
  };
});

afterAll(async () => {
  await stopStore?.();
  await cleanUp();
});

describe('a split server: two ingests, two workers and a query', () => {
  it('is run by the same commands in package.json and docker-compose.yml', () => {
    // npm has a shell in between, which would not pass signals on. The script sets what the image has in its environment.
    const withoutShell = (command: readonly string[]) => `exec ${command.join(' ')}`;
    const inScript = ([node, ...args]: readonly string[]) => {
      expect(node).toBe('node');
      return withoutShell(['sh', 'scripts/node.sh', ...args]);
    };
    for (const name of ['ingest', 'worker', 'query']) {
      expect(scripts[`start:${name}`]).toBe(inScript(services[name]!.command));
    }
    expect(`${scripts['start:cli']} migrate`).toBe(withoutShell(services['migrate']!.command));
    expect(scripts['start']).toBe(inScript(services['standalone']!.command));
  });

  it('gets its tables from the migrate command, which may be repeated', async () => {
    const migrate = async (options: readonly string[] = [], code = 0) => {
      const command = [...services['migrate']!.command.slice(1), ...options];
      const program = startNode(command, { env: store });
      expect([await program.end(), program.stderr]).toEqual([{ code, signal: null }, '']);
      return program.stdout;
    };

    expect(await migrate(['--status'], 1)).toMatch(/^(\d{4} {2}pending .*\n)+$/);
    expect(await migrate()).toMatch(
      /^(Applying \d{4} .*\n)+Applied \d+ migrations\.\nChanged the storage of call_events, calls\.\n$/,
    );
    expect(await migrate(['--status'])).toMatch(/^(\d{4} {2}applied .*\n)+$/);
    expect(await migrate()).toBe('The tables are up to date.\n');
  });

  it('becomes ready in each of its processes, and reports it without a key', async () => {
    const all = await Promise.all(
      (['ingest', 'ingest', 'worker', 'worker', 'query'] as const).map(startPart),
    );
    ingest = [all[0]!, all[1]!];
    workers = [all[2]!, all[3]!];
    query = all[4]!;

    for (const part of parts()) {
      await eventually(
        () => isReady(part),
        30_000,
        () => part.program.stderr,
      );
      for (const path of ['/healthz', '/health', '/server_info']) {
        expect((await part.server.send(path, undefined, GET)).status).toBe(200);
      }
    }
  });

  it('has no ready ingest while Redis could lose what it acknowledges', async () => {
    const redis = new Redis(store['REDIS_URL']!);
    const durability = async ({ server }: Part) =>
      (await server.send('/readyz', undefined, GET)).json().checks.durability as string;
    try {
      expect(await durability(ingest[0])).toBe('ok');
      await redis.config('SET', 'appendfsync', 'everysec');

      expect(await durability(ingest[0])).toMatch(/appendfsync is everysec instead of always/);
      expect(await Promise.all(parts().map(isReady))).toEqual([false, false, true, true, true]);
    } finally {
      await redis.config('SET', 'appendfsync', 'always');
      redis.disconnect();
    }
    expect(await Promise.all(parts().map(isReady))).toEqual([true, true, true, true, true]);
  });

  it('joins starts sent to one ingest with ends sent to the other', async () => {
    const project_id = aProject();
    const ids = Array.from({ length: CALLS }, () => randomUUID());
    const [one, other] = ingest.map(({ server }) => server) as [TestServer, TestServer];
    const send = async (id: string, index: number) => {
      const start = () => one.post('/call/start', { start: aStart({ project_id, id }) });
      const end = () => other.post('/call/end', { end: anEnd({ project_id, id, output: id }) });
      const inOrder = index % 2 === 0 ? [start, end] : [end, start];
      for (const step of inOrder) await step();
    };

    await inParallel(ids, send);
    await allArrived(query.server, project_id, ids, 20_000);

    const outputs = await inParallel(
      ids,
      async (id) => (await query.server.post('/call/read', { project_id, id })).call.output,
    );
    expect(outputs).toEqual(ids);
    expect(await query.server.post('/calls/query_stats', { project_id })).toMatchObject({
      count: CALLS,
    });
  });

  it('loses nothing when one worker is stopped under load', async () => {
    const traffic = ingest.map(({ server }) => new Traffic(server, aProject(), 2));
    await Promise.all(traffic.map((one) => one.acknowledgedMore(400)));

    expect(await workers[0].program.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    await Promise.all(traffic.map((one) => one.acknowledgedMore(400)));

    await Promise.all(traffic.map((one) => one.stop()));
    for (const one of traffic) {
      expect([...one.statuses.keys()]).toEqual([200]);
      await allArrived(query.server, one.project_id, one.acknowledged, 20_000);
    }
    expect(await isReady(query)).toBe(true);
  });

  it('exits with code 0 on SIGTERM', async () => {
    const running = parts().filter(({ program }) => program.isRunning);
    expect(running).toHaveLength(4);

    const exits = await Promise.all(running.map(({ program }) => program.stop('SIGTERM', 10_000)));

    expect(exits).toEqual(running.map(() => ({ code: 0, signal: null })));
  });
});

/** Runs a few items at a time. The results are in the order of the items. */
async function inParallel<T>(
  ids: readonly string[],
  work: (id: string, index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  const waiting = [...ids.entries()];
  const client = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      results[next[0]] = await work(next[1], next[0]);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return results;
}
