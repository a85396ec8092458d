import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { StartupError } from '@app/config';
import { openDataDirectory, type DataDirectory } from '../data-directory.js';
import { CONNECTION_ARGS, engineConfig } from './engine-config.js';
import { loadEngine } from './engine.js';
import { HttpServer } from './http-server.js';
import { StatementRunner } from './statement-runner.js';

const DRAIN_MS = 15_000;
/** When the parent was killed, its other children exit too, and no client waits for a response. */
const DRAIN_ORPHANED_MS = 3000;
const LOOK_MS = 100;

const { values } = parseArgs({
  options: {
    path: { type: 'string' },
    port: { type: 'string' },
    pool: { type: 'string', default: '8' },
    memory: { type: 'string', default: String(2 * 1024 ** 3) },
  },
});

/** The ClickHouse engine in this process, behind ClickHouse's HTTP interface on loopback. */
async function host(): Promise<void> {
  const { path, port, pool, memory } = values;
  if (!path || !port) throw new StartupError('The ClickHouse host needs --path and --port.');
  const directory = await openDataDirectory(path);
  const config = join(directory.path, 'engine.xml');
  await writeFile(config, engineConfig(Number(memory)), { mode: 0o600 });

  const place = { path: directory.path, args: [`--config-file=${config}`, ...CONNECTION_ARGS] };
  const runner = new StatementRunner(loadEngine(), place, Number(pool));
  const server = new HttpServer(runner, {
    user: process.env['CLICKHOUSE_HOST_USER'] ?? 'default',
    password: process.env['CLICKHOUSE_HOST_PASSWORD'] ?? '',
  });
  await server.listen(Number(port));
  endWithParent(server, directory);
  process.stdout.write(`ClickHouse listens on http://127.0.0.1:${port}\n`);
}

/** Stdin is a pipe from our parent and ends with it, however it ends. */
function endWithParent(server: HttpServer, directory: DataDirectory): void {
  const parent = process.ppid;
  let ending: Promise<void> | undefined;
  const end = () => void (ending ??= drain(server, directory, parent));
  process.stdin.once('end', end).once('error', end).resume();
  process.once('SIGTERM', end).once('SIGINT', end);
}

/**
 * Leaving waits for every thread, and one that streams to a client that was killed may never come back from the engine. A
 * parent would then kill us; without one we do it ourselves. What was acknowledged is stored either way.
 */
async function drain(server: HttpServer, directory: DataDirectory, parent: number): Promise<void> {
  await Promise.race([server.drain(), sleep(DRAIN_MS), orphanedFor(DRAIN_ORPHANED_MS, parent)]);
  await directory.release();
  await sleep(LOOK_MS);
  if (process.ppid === parent) process.exit(0);
  process.kill(process.pid, 'SIGKILL');
}

async function orphanedFor(ms: number, parent: number): Promise<void> {
  while (process.ppid === parent) await sleep(LOOK_MS);
  await sleep(ms);
}

host().catch((error: unknown) => {
  const sentence = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${sentence}\n`, () => process.exit(1));
});
