// Starts the servers that all tests of a Jest project share, as real processes from dist.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_SCRIPT } from './node-script.mjs';
import { refuseSecrets } from './secrets-in-logs.mjs';

const dist = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);

/** Redis and ClickHouse with all tables, for the int project. */
export async function startDependencies() {
  await import('reflect-metadata');
  const directory = mkdtempSync(join(tmpdir(), 'heddle-int-'));
  const { startRedis, startClickHouse } = await dist('libs/embedded/src/index.js');
  const { createLogger } = await dist('libs/observability/src/index.js');
  const { connectClickHouse, migrate } = await dist('libs/clickhouse/src/index.js');
  const logger = createLogger('test', 'error');
  const [redis, clickhouse] = await Promise.all([
    startRedis({ directory: join(directory, 'redis'), logger }),
    startClickHouse({ directory: join(directory, 'clickhouse'), logger }),
  ]);
  const { url, username: user, password } = clickhouse;
  const client = connectClickHouse(
    { url, user, password, database: 'default', cluster: '', replicated: false },
    'test',
  );
  await migrate(client, { kind: 'single' });
  await client.close();
  return {
    env: {
      REDIS_URL: redis.url,
      CLICKHOUSE_URL: url,
      CLICKHOUSE_USER: user,
      CLICKHOUSE_PASSWORD: password,
    },
    stop: async () => {
      await Promise.all([redis.stop(), clickhouse.stop()]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A standalone server, for the e2e project. */
export async function startStandalone(given = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-e2e-'));
  const port = await unusedPort();
  const key = 'a-key-for-tests';
  const entry = new URL('../../dist/apps/standalone/src/main.js', import.meta.url).pathname;
  const env = {
    PORT: String(port),
    DATA_DIR: directory,
    LOG_LEVEL: 'debug',
    HEDDLE_API_KEY: key,
    HEDDLE_USER: 'ann',
    // All tests come from one address, and some send wrong keys.
    LOGIN_MAX_FAILURES_PER_MINUTE: '0',
    // Every test has a project of its own.
    USER_MAX_NEW_PROJECTS_PER_HOUR: '0',
    // The receivers of webhooks are on this machine.
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
    // Most tests read what they have just written. How long a read waits has a test with its own server.
    READ_WAIT_MS: '20000',
    // On a busy machine a read may wait long for a place.
    QUERY_MAX_WAIT_MS: '60000',
    ...given,
  };
  const child = spawn('sh', [NODE_SCRIPT, entry], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = collected(child.stderr);
  await printed(child, /^ready$/m);
  return {
    env: { TEST_URL: `http://127.0.0.1:${port}`, TEST_KEY: key, TEST_DATA_DIR: directory },
    pid: child.pid,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
      refuseSecrets(log(), [key], 'the server of the end-to-end tests');
    },
  };
}

/** Collects everything a program logs, and prints warnings and errors at once. */
function collected(stream) {
  let log = '';
  stream.setEncoding('utf8').on('data', (text) => {
    log += text;
    for (const line of text.split('\n')) {
      if (line !== '' && !/^\{"level":"(debug|info)",/.test(line))
        process.stderr.write(`${line}\n`);
    }
  });
  return () => log;
}

export async function unusedPort() {
  const { freePort } = await dist('libs/embedded/src/index.js');
  return freePort();
}

function printed(child, pattern) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      if (pattern.test(text)) resolve();
    });
    child.once('exit', (code) =>
      reject(new Error(`It ended with ${code} before it was ready:\n${text}`)),
    );
  });
}
