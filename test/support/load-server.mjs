// A split server of real processes from dist. Each process can be measured, killed and started again. Redis and the
// ClickHouse host run as the embedded ones do, but without the supervisor that would restart them.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { ErringProxy } from './erring-proxy.mjs';
import { Member } from './load-member.mjs';
import { NODE_SCRIPT } from './node-script.mjs';

const GIB = 1024 ** 3;
const RESPONSE_WITHIN_MS = 60_000;
const KEY = 'a-key-for-load-and-faults';
const USER = 'heddle';
const PASSWORD = 'only-on-loopback';

const root = fileURLToPath(new URL('../../', import.meta.url));
const distPath = (path, release = root) => join(release, 'dist', path);
const dist = (path) => import(distPath(path));
const CLI = 'apps/cli/src/main.js';
/** The ledger prints a line for every project. */
const CLI_MAX_OUTPUT = 64 * 1024 ** 2;

/**
 * Resolves when every process responds. With the `directory` of a stopped server it starts on that server's data. With
 * `proxied` the apps reach ClickHouse through `server.proxy`, which can inject errors. `release` is a directory with another
 * release, compiled, whose apps and commands run instead of this one's.
 */
export async function startLoadServer({
  name,
  directory = mkdtempSync(join(tmpdir(), `heddle-${name}-`)),
  ingests = 1,
  workers = 1,
  env = {},
  nodeFlags = [],
  workerFlags = [],
  proxied = false,
  clickhouseDirectory = join(directory, 'clickhouse'),
  release = root,
}) {
  const server = new LoadServer(directory, env, { nodeFlags, workerFlags, release });
  try {
    await server.startDependencies({ proxied, clickhouseDirectory });
    await server.cli('migrate');
    await server.startApps({ ingests, workers });
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Redis and ClickHouse only: for a caller that starts the apps itself, with the settings in `env`. */
export async function startStores(name) {
  const directory = mkdtempSync(join(tmpdir(), `heddle-${name}-`));
  const server = new LoadServer(directory, {}, { nodeFlags: [], workerFlags: [], release: root });
  await server.startDependencies({ clickhouseDirectory: join(directory, 'clickhouse') });
  return server;
}

class LoadServer {
  key = KEY;
  /** All processes in the order in which they were started. */
  members = [];

  constructor(directory, env, flags) {
    this.directory = directory;
    Object.assign(this, flags);
    this.env = { HEDDLE_API_KEY: KEY, HEDDLE_USER: 'ann', LOG_LEVEL: 'warn' };
    Object.assign(this.env, { USER_MAX_NEW_PROJECTS_PER_HOUR: '0', ...env });
  }

  async startDependencies({ proxied, clickhouseDirectory }) {
    const { freePort } = await dist('libs/embedded/src/index.js');
    this.freePort = freePort;
    const [redisPort, clickhousePort] = [await freePort(), await freePort()];
    this.clickhouseUrl = `http://127.0.0.1:${clickhousePort}`;
    if (proxied) this.proxy = await ErringProxy.to(this.clickhouseUrl);
    Object.assign(this.env, {
      REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:${redisPort}`,
      CLICKHOUSE_URL: this.proxy?.url ?? this.clickhouseUrl,
      CLICKHOUSE_USER: USER,
      CLICKHOUSE_PASSWORD: PASSWORD,
    });
    this.redis = await this.#redis(redisPort);
    this.clickhouse = await this.#clickhouse(clickhousePort, clickhouseDirectory);
    await Promise.all([this.redis.start(), this.clickhouse.start()]);
  }

  async startApps({ ingests, workers }) {
    this.ingests = await this.#apps('ingest', ingests);
    this.workers = await this.#apps('worker', workers);
    [this.query] = await this.#apps('query', 1);
    await Promise.all(
      [...this.ingests, ...this.workers, this.query].map((member) => member.start()),
    );
  }

  /** A Node process of this script; it is ready when it responds on its port. */
  async script(name, path, { args = [], env = {}, flags = [], probe = '/healthz' } = {}) {
    const port = await this.freePort();
    const member = this.#member({
      name,
      command: 'sh',
      args: [NODE_SCRIPT, ...this.nodeFlags, ...flags, path, ...args],
      env: { ...this.env, ...env, HOST: '127.0.0.1', PORT: String(port) },
      ready: () => probed(`http://127.0.0.1:${port}${probe}`),
    });
    return Object.assign(member, { port });
  }

  /** One more process of an app, which the caller starts. It is of `this.release`. */
  app(app, name) {
    const flags = app === 'worker' ? this.workerFlags : [];
    const entry = distPath(`apps/${app}/src/main.js`, this.release);
    return this.script(name, entry, { args: ['--supervised'], flags });
  }

  /** The output of an operator's command. Rejects with `code` and `stdout` when the command fails. */
  async cli(...args) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [distPath(CLI, this.release), ...args],
      {
        env: { ...process.env, ...this.env },
        maxBuffer: CLI_MAX_OUTPUT,
      },
    );
    return stdout;
  }

  /** Starts an operator's command, for a test that pauses or kills it. */
  startCli(...args) {
    return spawn(process.execPath, [distPath(CLI, this.release), ...args], {
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** The rows of a SQL query sent to ClickHouse directly, each an array of columns. */
  async sql(query) {
    const response = await fetch(`${this.clickhouseUrl}/?default_format=JSONCompactEachRow`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${USER}:${PASSWORD}`)}` },
      body: query,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`ClickHouse: ${text.slice(0, 500)}`);
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  /** Sends a batch of calls to ingest. Rejects unless it is accepted. */
  async sendBatch(body) {
    const response = await fetch(`http://127.0.0.1:${this.ingests[0].port}/call/upsert_batch`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${btoa(`api:${KEY}`)}`,
      },
      body,
    });
    if (!response.ok) throw new Error(`ingest: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }

  /** The facts that are accepted and not stored yet. */
  async pendingFacts() {
    const [pending] = await this.metrics(this.ingests[0], ['heddle_queue_pending_facts']);
    return pending;
  }

  /** Metrics without labels of one process. */
  async metrics({ port }, names) {
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return names.map((name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(page)[1]));
  }

  /** Sends one command to Redis over a new connection. */
  async redisCommand(...command) {
    const redis = new Redis(this.env.REDIS_URL, { lazyConnect: true, maxRetriesPerRequest: 1 });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return await redis.call(...command);
    } finally {
      redis.disconnect();
    }
  }

  /** Sends a read over HTTP: `{ pending, json }`. */
  async send(path, body, headers = {}) {
    const response = await fetch(`http://127.0.0.1:${this.query.port}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${btoa(`api:${KEY}`)}`,
        ...headers,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(RESPONSE_WITHIN_MS),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${path} responded with ${response.status}: ${text.slice(0, 300)}`);
    return {
      pending: Number(response.headers.get('x-heddle-pending') ?? 0),
      json: JSON.parse(text),
    };
  }

  /** Stops every process, the last started first. */
  async stop({ keepFiles = false } = {}) {
    for (const member of [...this.members].reverse()) await member.stop();
    await this.proxy?.close();
    if (!keepFiles) rmSync(this.directory, { recursive: true, force: true });
  }

  async #redis(port) {
    const { redisConfig } = await dist('libs/embedded/src/redis-config.js');
    const { probeRedis } = await dist('libs/embedded/src/redis-probe.js');
    const { withStdinWatch } = await dist('libs/embedded/src/stdin-watch.js');
    const directory = join(this.directory, 'redis');
    const config = join(directory, 'redis.conf');
    mkdirSync(directory, { recursive: true });
    const settings = { directory, port, password: PASSWORD, maxMemoryBytes: 2 * GIB };
    writeFileSync(config, redisConfig(settings), { mode: 0o600 });
    const { command, args } = withStdinWatch('redis-server', [config]);
    return this.#member({
      name: 'redis',
      command,
      args,
      ready: () => probeRedis(port, PASSWORD),
    });
  }

  async #clickhouse(port, directory) {
    mkdirSync(directory, { recursive: true });
    const { npmEngineCommand } = await dist('libs/embedded/src/clickhouse-command.js');
    const { keepFreeBytes } = await dist('libs/embedded/src/full-disk-watch.js');
    const entry = distPath('libs/embedded/src/clickhouse-server/main.js');
    const settings = {
      directory,
      port,
      username: USER,
      password: PASSWORD,
      memoryBytes: 6 * GIB,
      keepFreeBytes: await keepFreeBytes(directory),
    };
    return this.#member({
      name: 'clickhouse',
      ...(await npmEngineCommand(entry, settings)),
      ready: () => probed(`http://127.0.0.1:${port}/ping`),
    });
  }

  async #apps(app, count) {
    const members = [];
    for (let i = 1; i <= count; i++) {
      members.push(await this.app(app, count === 1 ? app : `${app}-${i}`));
    }
    return members;
  }

  #member(options) {
    const member = new Member({ ...options, log: join(this.directory, `${options.name}.log`) });
    this.members.push(member);
    return member;
  }
}

async function probed(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`);
}
