import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartupError } from '@app/config';
import type { Logger } from '@app/observability';
import { makePrivateDirectory } from './data-directory.js';
import { findBinary } from './find-binary.js';
import { freePort } from './free-port.js';
import { withStdinWatch } from './stdin-watch.js';
import { machineMemoryBytes } from './machine-memory.js';
import { redisConfig } from './redis-config.js';
import { probeRedis } from './redis-probe.js';
import { SupervisedProcess } from './supervised-process.js';

const MEMORY_SHARE = 0.45;
const MAX_MEMORY_BYTES = 8 * 1024 ** 3;
/** Loading a queue of gigabytes takes minutes, and a restart would begin again. */
const LOADING_TIMEOUT_MS = 15 * 60_000;

export interface RedisOptions {
  /** Data directory of this Redis only. */
  readonly directory: string;
  readonly logger: Logger;
  readonly maxMemoryBytes?: number;
  readonly binary?: string;
}

export interface EmbeddedRedis {
  /** Includes the password. Stays the same after a restart of Redis. */
  readonly url: string;
  readonly process: SupervisedProcess;
  pid(): number | undefined;
  stop(timeoutMs?: number): Promise<void>;
}

/** Resolves when Redis has loaded its data and accepts commands. Rejects with a `StartupError`. */
export async function startRedis(options: RedisOptions): Promise<EmbeddedRedis> {
  const binary = options.binary ?? (await redisBinary());
  const directory = resolve(options.directory);
  const port = await freePort();
  const password = randomBytes(24).toString('hex');
  const maxMemoryBytes = options.maxMemoryBytes ?? defaultMaxMemoryBytes(machineMemoryBytes());
  const config = await writeConfig(
    directory,
    redisConfig({ directory, port, password, maxMemoryBytes }),
  );

  const process = await SupervisedProcess.start({
    name: 'Redis',
    ...withStdinWatch(binary, [config]),
    pidFile: join(directory, 'redis.pid'),
    probe: () => probeRedis(port, password),
    readyTimeoutMs: LOADING_TIMEOUT_MS,
    logger: options.logger,
  });
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    process,
    pid: () => process.pid(),
    stop: (timeoutMs) => process.stop(timeoutMs),
  };
}

export function defaultMaxMemoryBytes(machineBytes: number): number {
  return Math.min(Math.floor(machineBytes * MEMORY_SHARE), MAX_MEMORY_BYTES);
}

async function redisBinary(): Promise<string> {
  const found = await findBinary(['redis-server', 'valkey-server']);
  if (found) return found;
  throw new StartupError(
    'No redis-server or valkey-server is on the PATH; install one (Debian: apt-get install redis-server, ' +
      'macOS: brew install redis) or set REDIS_URL to a running Redis.',
  );
}

/** Uses a file, because every user of the machine can read a command line with its password. */
async function writeConfig(directory: string, text: string): Promise<string> {
  const file = join(directory, 'redis.conf');
  await makePrivateDirectory(directory);
  await rm(file, { force: true });
  await writeFile(file, text, { mode: 0o600 });
  return file;
}
