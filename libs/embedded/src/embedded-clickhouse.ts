import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '@app/observability';
import { chooseEngine } from './clickhouse-engines.js';
import { npmEngineCommand, serverCommand } from './clickhouse-command.js';
import { COLD_POLICY, type ServerSettings } from './clickhouse-server-config.js';
import { coldDirectory } from './cold-directory.js';
import { makePrivateDirectory } from './data-directory.js';
import { FullDiskWatch, keepFreeBytes } from './full-disk-watch.js';
import { DefinitionCopies } from './definition-copies.js';
import { repairEmptyFiles } from './empty-definitions.js';
import { freePort } from './free-port.js';
import { machineMemoryBytes } from './machine-memory.js';
import { SupervisedProcess } from './supervised-process.js';

const USERNAME = 'heddle';
const MEMORY_SHARE = 0.35;
const PROBE_TIMEOUT_MS = 2_000;

export interface ClickHouseOptions {
  /** Data directory of this ClickHouse only. */
  readonly directory: string;
  readonly logger: Logger;
  /** Path of a `clickhouse` binary; by default the one on the PATH. */
  readonly binary?: string;
  /** The compiled entry of the npm engine's process, for callers outside the compiled tree. */
  readonly serverEntry?: string;
  readonly memoryBytes?: number;
  /** Where to store old data; empty for nowhere else. */
  readonly coldDirectory?: string;
}

export interface EmbeddedClickHouse {
  /** URL, username and password stay the same after a restart of ClickHouse. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly process: SupervisedProcess;
  /** The policy with a cold volume, if it has one. */
  readonly cold: typeof COLD_POLICY | undefined;
  pid(): number | undefined;
  stop(timeoutMs?: number): Promise<void>;
}

/** Resolves when ClickHouse is ready; rejects with a `StartupError`. */
export async function startClickHouse(options: ClickHouseOptions): Promise<EmbeddedClickHouse> {
  const directory = resolve(options.directory);
  await makePrivateDirectory(directory);
  // Version 0.1 wrote payloads here before it inserted them, and left them when it was killed.
  await rm(join(directory, 'spool'), { recursive: true, force: true });
  const settings = await newSettings(directory, options);
  const engine = await chooseEngine(directory, options.binary);
  const url = `http://127.0.0.1:${settings.port}`;
  const binaryData = join(directory, 'data');
  const copies = new DefinitionCopies(binaryData);

  const process = await SupervisedProcess.start({
    name: 'ClickHouse',
    ...(engine.kind === 'server'
      ? {
          ...(await serverCommand(engine.binary, settings)),
          prepare: () => repaired(binaryData, copies, options.logger),
        }
      : await npmEngineCommand(options.serverEntry ?? compiledEntry(), settings)),
    pidFile: join(directory, 'clickhouse.pid'),
    probe: () => ping(url),
    logger: options.logger,
  });
  // The process of the npm engine keeps copies of its own.
  if (engine.kind === 'server') copies.keep(reportTo(options.logger));
  const watch = new FullDiskWatch({ ...settings, url, process, logger: options.logger });
  return {
    url,
    username: settings.username,
    password: settings.password,
    process,
    cold: settings.coldDirectory === undefined ? undefined : COLD_POLICY,
    pid: () => process.pid(),
    stop: (timeoutMs) => {
      watch.stop();
      copies.stop();
      return process.stop(timeoutMs);
    },
  };
}

async function repaired(dataPath: string, copies: DefinitionCopies, logger: Logger): Promise<void> {
  for (const repair of await repairEmptyFiles(dataPath, copies)) logger.warn(`${repair}.`);
  // Before anything can change them; on a full disk what was copied before has to do.
  await copies.update().catch(reportTo(logger));
}

const reportTo = (logger: Logger) => (error: unknown) =>
  logger.warn('The definitions of tables were not copied.', { error: String(error) });

async function newSettings(
  directory: string,
  { memoryBytes, coldDirectory: given = '' }: ClickHouseOptions,
): Promise<ServerSettings> {
  return {
    directory,
    port: await freePort(),
    username: USERNAME,
    password: randomBytes(24).toString('hex'),
    memoryBytes: memoryBytes ?? Math.floor(machineMemoryBytes() * MEMORY_SHARE),
    keepFreeBytes: await keepFreeBytes(directory),
    coldDirectory: await coldDirectory(directory, given),
  };
}

function compiledEntry(): string {
  return fileURLToPath(new URL('./clickhouse-server/main.js', import.meta.url));
}

async function ping(url: string): Promise<void> {
  const response = await fetch(`${url}/ping`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`ClickHouse responded with ${response.status}.`);
}
