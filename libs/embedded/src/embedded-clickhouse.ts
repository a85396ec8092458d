import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '@app/observability';
import { chooseEngine } from './clickhouse-engines.js';
import { clickHouseServerConfig, type ServerSettings } from './clickhouse-server-config.js';
import { freePort } from './free-port.js';
import { withStdinWatch } from './stdin-watch.js';
import { machineMemoryBytes } from './machine-memory.js';
import { SupervisedProcess, type ProcessOptions } from './supervised-process.js';

const USERNAME = 'heddle';
const MEMORY_SHARE = 0.35;
const POOL = 8;
const PROBE_TIMEOUT_MS = 2_000;

export interface ClickHouseOptions {
  /** Data directory of this ClickHouse only. */
  readonly directory: string;
  readonly logger: Logger;
  /** Path of a `clickhouse` binary; by default the one on the PATH. */
  readonly binary?: string;
  /** Path of the compiled host, for callers that do not run from `dist`. */
  readonly hostEntry?: string;
  readonly memoryBytes?: number;
}

export interface EmbeddedClickHouse {
  /** URL, username and password stay the same after a restart of ClickHouse. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly process: SupervisedProcess;
  pid(): number | undefined;
  stop(timeoutMs?: number): Promise<void>;
}

/** Resolves when ClickHouse is ready. Rejects with a `StartupError`. */
export async function startClickHouse(options: ClickHouseOptions): Promise<EmbeddedClickHouse> {
  const directory = resolve(options.directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const settings = await newSettings(directory, options.memoryBytes);
  const engine = await chooseEngine(directory, options.binary);
  const url = `http://127.0.0.1:${settings.port}`;

  const process = await SupervisedProcess.start({
    name: 'ClickHouse',
    ...(engine.kind === 'server'
      ? await serverCommand(engine.binary, settings)
      : hostCommand(options.hostEntry ?? compiledHost(), settings)),
    pidFile: join(directory, 'clickhouse.pid'),
    probe: () => ping(url),
    logger: options.logger,
  });
  return {
    url,
    username: settings.username,
    password: settings.password,
    process,
    pid: () => process.pid(),
    stop: (timeoutMs) => process.stop(timeoutMs),
  };
}

async function newSettings(directory: string, memoryBytes?: number): Promise<ServerSettings> {
  return {
    directory,
    port: await freePort(),
    username: USERNAME,
    password: randomBytes(24).toString('hex'),
    memoryBytes: memoryBytes ?? Math.floor(machineMemoryBytes() * MEMORY_SHARE),
  };
}

type Command = Pick<ProcessOptions, 'command' | 'args' | 'env'>;

async function serverCommand(binary: string, settings: ServerSettings): Promise<Command> {
  const config = join(settings.directory, 'server.xml');
  await rm(config, { force: true });
  await writeFile(config, clickHouseServerConfig(settings), { mode: 0o600 });
  return {
    ...withStdinWatch(binary, ['server', `--config-file=${config}`]),
    // Without this, the process is a watchdog and the server its child.
    env: { CLICKHOUSE_WATCHDOG_ENABLE: '0' },
  };
}

function hostCommand(entry: string, settings: ServerSettings): Command {
  const { directory, port, username, password, memoryBytes } = settings;
  const options = { path: join(directory, 'engine-data'), port, pool: POOL, memory: memoryBytes };
  return {
    command: globalThis.process.execPath,
    args: [entry, ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)],
    env: {
      CLICKHOUSE_HOST_USER: username,
      CLICKHOUSE_HOST_PASSWORD: password,
      // Every running statement blocks a libuv thread; a few more are for files and DNS.
      UV_THREADPOOL_SIZE: String(2 * POOL + 4),
      // With an arena per thread, glibc retains a hundred megabytes more of freed memory.
      MALLOC_ARENA_MAX: '2',
    },
  };
}

function compiledHost(): string {
  return fileURLToPath(new URL('./clickhouse-host/main.js', import.meta.url));
}

async function ping(url: string): Promise<void> {
  const response = await fetch(`${url}/ping`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`ClickHouse responded with ${response.status}.`);
}
