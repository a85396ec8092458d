import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, isFree, startRedis } from '@app/embedded';
import { createLogger } from '@app/observability';
import { Redis } from '@app/redis';
import { sharedServer } from '../support/test-server.js';
import {
  cleanUp,
  descendantsOf,
  isAlive,
  processes,
  root,
  startNode,
  temporaryDirectory,
  type Entry,
} from '../support/processes.js';

const SOON_MS = 20_000;
/** The server waits some time for an external service to start. */
const LATER_MS = { withinMs: 40_000 };

const LOOK_EVERY_MS = 50;
/** The descendants that were seen of each server. One look is for all of them, because it reads every process of the machine. */
const families = new Map<number, Map<string, Entry>>();
const looking = setInterval(() => {
  const all = families.size > 0 ? processes() : [];
  for (const [pid, family] of families) {
    for (const entry of descendantsOf(pid, all)) family.set(`${entry.pid} ${entry.began}`, entry);
  }
}, LOOK_EVERY_MS);

afterAll(async () => {
  clearInterval(looking);
  await cleanUp();
});

interface Refusal {
  readonly stderr: string;
  readonly stdout: string;
  readonly code: number | null;
}

let lastPort = 11_000;

/** Below those of `freePort`, and none twice: the servers of these cases start at the same time and take many ports. */
async function aPort(): Promise<number> {
  for (;;) {
    const port = ++lastPort;
    if (await isFree(port)) return port;
  }
}

/** Starts a server that must fail, and checks that none of its children is left. */
async function refused(
  env: Readonly<Record<string, string>>,
  { withinMs = SOON_MS, cwd = root } = {},
): Promise<Refusal> {
  const place = { DATA_DIR: temporaryDirectory(), PORT: String(await aPort()) };
  const program = startNode([join(cwd, 'dist/apps/standalone/src/main.js')], {
    env: { LOG_LEVEL: 'error', ...place, ...env },
    cwd,
  });
  const family = new Map<string, Entry>();
  families.set(program.pid, family);
  try {
    const { code } = await program.end(withinMs);
    expect([...family.values()].filter(isAlive)).toEqual([]);
    return { code, stdout: program.stdout, stderr: program.stderr };
  } finally {
    families.delete(program.pid);
  }
}

/** The expected refusal: one line with this reason, and no other output. */
const saying = (sentence: RegExp): Refusal => ({
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(
    new RegExp(`^{"level":"error",[^\\n]*"msg":"[^\\n]*${sentence.source}[^\\n]*}\\n$`),
  ) as string,
});

// They run at the same time, because some of them wait for a service that may be starting.
describe('a standalone server that cannot start prints the reason in one line and exits with 1', () => {
  it.concurrent('when another server uses the data', async () => {
    const DATA_DIR = process.env['TEST_DATA_DIR']!;

    expect(await refused({ DATA_DIR })).toEqual(
      saying(/Another Heddle \(pid \d+\) is using .*; stop it or set DATA_DIR/),
    );
    expect((await sharedServer().send('/healthz', undefined, { method: 'GET' })).status).toBe(200);
  });

  it.concurrent('when the port is in use, before it creates the data directory', async () => {
    const { port } = new URL(sharedServer().url);
    const DATA_DIR = join(temporaryDirectory(), 'data');

    expect(await refused({ PORT: port, DATA_DIR })).toEqual(
      saying(/Port \d+ on 127\.0\.0\.1 is in use; stop what uses it or set PORT/),
    );
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it.concurrent('when the host is not an address of this machine', async () => {
    expect(await refused({ HOST: '192.0.2.1' })).toEqual(
      saying(/cannot listen on port \d+ of 192\.0\.2\.1 .*; set HOST/),
    );
  });

  it.concurrent(
    'when other machines can connect and the given key is weak, before it creates the data directory',
    async () => {
      const DATA_DIR = join(temporaryDirectory(), 'data');
      const weak = { HOST: '0.0.0.0', HEDDLE_API_KEY: 'changeme', DATA_DIR };

      expect(await refused(weak)).toEqual(
        saying(/HEDDLE_API_KEY is shorter than 16 characters; set it to a long random string/),
      );
      expect(existsSync(DATA_DIR)).toBe(false);
    },
  );

  it.concurrent('when the data directory is a file', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');

    expect(await refused({ DATA_DIR: file })).toEqual(
      saying(/The data directory .* cannot be used .*; make it writable or set DATA_DIR/),
    );
  });

  it.concurrent('when settings are invalid, with all of them at once', async () => {
    const { code, stderr } = await refused({
      PORT: 'eighty',
      LOG_LEVEL: 'loud',
      REDIS_URL: 'localhost',
      HEDDLE_APIKEY: 'misspelt',
    });

    expect(code).toBe(1);
    expect((JSON.parse(stderr) as { msg: string }).msg.split('\n')).toEqual([
      expect.stringMatching(/^The configuration is invalid; correct these environment variables/),
      '  - HEDDLE_APIKEY is not a setting of Heddle',
      expect.stringMatching(/^ {2}- PORT must be an integer 0–65535, not "eighty"$/),
      expect.stringMatching(/^ {2}- LOG_LEVEL must be one of .*, not "loud"$/),
      expect.stringMatching(
        /^ {2}- REDIS_URL must be a URL starting with redis:\/\/ or rediss:\/\/$/,
      ),
    ]);
  });

  it.concurrent('when there is no Redis', async () => {
    expect(await refused({ PATH: temporaryDirectory() })).toEqual(
      saying(/No redis-server or valkey-server is on the PATH; install one .* or set REDIS_URL/),
    );
  });

  it.concurrent('when there is no engine', async () => {
    const cwd = withoutEngine();

    expect(await refused({ PATH: withOnlyRedis() }, { cwd })).toEqual(
      saying(/ClickHouse is not installed\. Set CLICKHOUSE_URL .* or .*npm install chdb/),
    );
  });

  it.concurrent('when an external Redis could lose acknowledged writes', async () => {
    const directory = join(temporaryDirectory(), 'redis');
    const redis = await startRedis({ directory, logger: createLogger('test', 'error') });
    const admin = new Redis(redis.url);
    try {
      await admin.config('SET', 'appendfsync', 'everysec');

      expect(await refused({ REDIS_URL: redis.url })).toEqual(
        saying(
          /Redis could lose acknowledged writes .*appendfsync is everysec instead of always.*ALLOW_NON_DURABLE_REDIS/,
        ),
      );
    } finally {
      admin.disconnect();
      await redis.stop();
    }
  });

  it.concurrent(
    'when an external Redis or ClickHouse does not listen or does not respond',
    async () => {
      const unused = `127.0.0.1:${await freePort()}`;
      const { server, address: silence } = await aSilentServer();
      const cases = [
        ['Redis', 'REDIS_URL', 'redis://:hunter2@', unused],
        ['Redis', 'REDIS_URL', 'redis://:hunter2@', silence],
        ['Redis', 'REDIS_SENTINELS', '', unused],
        ['ClickHouse', 'CLICKHOUSE_URL', 'http://', unused],
        ['ClickHouse', 'CLICKHOUSE_URL', 'http://', silence],
      ] as const;
      try {
        // All at once, because each waits for a service that may be starting.
        const refusals = cases.map(([, setting, prefix, address]) =>
          refused({ [setting]: prefix + address }, LATER_MS),
        );
        expect(await Promise.all(refusals)).toEqual(
          cases.map(([name, setting, , address]) =>
            saying(
              new RegExp(
                `${name} at ${address} is unavailable \\(.+\\); start it or correct ${setting}`,
              ),
            ),
          ),
        );
      } finally {
        server.close();
      }
    },
  );
});

async function aSilentServer(): Promise<{ server: Server; address: string }> {
  const port = await freePort();
  const server = createServer((socket) => socket.resume().on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { server, address: `127.0.0.1:${port}` };
}

/** A PATH with Redis and nothing else. */
function withOnlyRedis(): string {
  const directory = temporaryDirectory();
  const names = ['redis-server', 'valkey-server'];
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((place) => names.map((name) => join(place, name)))
    .find((file) => existsSync(file))!;
  symlinkSync(found, join(directory, 'redis-server'));
  return directory;
}

/** A copy of the program as `npm install --omit=optional` installs it. */
function withoutEngine(): string {
  const copy = temporaryDirectory();
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  const modules = join(root, 'node_modules');
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(modules)) {
    if (name === 'chdb' || name === '@chdb') continue;
    symlinkSync(join(modules, name), join(copy, 'node_modules', name));
  }
  return copy;
}

describe('a worker without Redis', () => {
  it.concurrent('logs that once, as a line of JSON, and prints nothing else', async () => {
    const env = { REDIS_URL: 'redis://127.0.0.1:1', CLICKHOUSE_URL: 'http://127.0.0.1:2' };
    const program = startNode(['dist/apps/worker/src/main.js'], {
      env: { ...env, PORT: String(await aPort()) },
    });
    await program.printed(/Redis unavailable/, SOON_MS);
    await pause(2000);
    await program.stop('SIGTERM');

    const lines = program.stderr.trim().split('\n');
    const logged = lines.map((line) => JSON.parse(line) as { level: string; msg: string });
    expect(logged.filter(({ msg }) => msg.startsWith('Redis unavailable'))).toMatchObject([
      { level: 'warn' },
    ]);
  });
});
