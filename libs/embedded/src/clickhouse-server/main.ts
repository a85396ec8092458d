import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { StartupError } from '@app/config';
import { openDataDirectory } from '../data-directory.js';
import { DefinitionCopies } from '../definition-copies.js';
import { repairEmptyFiles } from '../empty-definitions.js';
import { runClickHouseLocal } from './engine-library.js';
import { EngineSession } from './engine-session.js';

/** Statements in progress get this long to finish before the server stops. */
const DRAIN_MS = 15_000;
/** Without a parent, the clients of the server are ending as well. */
const DRAIN_ORPHANED_MS = 3000;
const POLL_MS = 100;
/** Stopping the engine cancels merges and closes tables; a thread that hangs must not keep the process alive. */
const STOP_MS = 20_000;

const { values } = parseArgs({
  options: {
    config: { type: 'string' },
    path: { type: 'string' },
    'http-port': { type: 'string' },
    'tcp-port': { type: 'string' },
    'log-file': { type: 'string' },
  },
});

/** Runs ClickHouse's own server in this process until the parent ends it or dies. */
async function main(): Promise<void> {
  const { config, path, 'http-port': httpPort, 'tcp-port': tcpPort, 'log-file': logFile } = values;
  if (!config || !path || !httpPort) {
    throw new StartupError('The ClickHouse server needs --config, --path and --http-port.');
  }
  // Only the owner may read the files that the engine writes.
  process.umask(0o077);
  const directory = await openDataDirectory(path);
  const copies = new DefinitionCopies(directory.path);
  for (const repair of await repairEmptyFiles(directory.path, copies)) console.warn(`${repair}.`);
  const notCopied = (error: unknown) =>
    console.warn(`The definitions of tables were not copied: ${String(error)}`);
  // Before anything can change them; on a full disk what was copied before has to do.
  await copies.update().catch(notCopied);
  copies.keep(notCopied);
  const session = new EngineSession(`http://127.0.0.1:${httpPort}`, {
    user: process.env['CLICKHOUSE_SERVER_USER'] ?? 'default',
    password: process.env['CLICKHOUSE_SERVER_PASSWORD'] ?? '',
  });
  endWithParent(session);
  await runClickHouseLocal([
    '--config-file',
    config,
    '--path',
    directory.path,
    '--listen_host',
    '127.0.0.1',
    '--http_port',
    httpPort,
    ...(tcpPort ? ['--tcp_port', tcpPort] : []),
    '--log-level',
    'warning',
    ...(logFile ? ['--logger.log', logFile] : ['--logger.console', '1']),
    '--query',
    [
      'SYSTEM START LISTEN HTTP',
      ...(tcpPort ? ['SYSTEM START LISTEN TCP'] : []),
      session.waitStatement,
    ].join('; '),
  ]);
  await directory.release();
  if (!isEnding) throw new StartupError('The ClickHouse engine ended without being told to.');
  process.exit(0);
}

let isEnding = false;

/** Stdin is a pipe from the parent. It ends when the parent ends, for whatever reason. */
function endWithParent(session: EngineSession): void {
  const parent = process.ppid;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    void stop(session, parent);
  };
  process.stdin.once('end', end).once('error', end).resume();
  process.once('SIGTERM', end).once('SIGINT', end);
}

/** Acknowledged inserts are on disk, so killing the process at the end of its patience loses nothing. */
async function stop(session: EngineSession, parent: number): Promise<void> {
  const drained = new AbortController();
  const limit = Promise.race([
    sleep(DRAIN_MS, undefined, { signal: drained.signal }),
    orphanedFor(DRAIN_ORPHANED_MS, parent, drained.signal),
  ]).catch(() => undefined);
  await Promise.race([session.drained(POLL_MS), limit]);
  drained.abort();
  if (await session.endWait()) await sleep(STOP_MS, undefined, { ref: false });
  process.kill(process.pid, 'SIGKILL');
}

async function orphanedFor(ms: number, parent: number, signal: AbortSignal): Promise<void> {
  while (process.ppid === parent) await sleep(POLL_MS, undefined, { signal });
  await sleep(ms, undefined, { signal });
}

main().catch((error: unknown) => {
  const sentence = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${sentence}\n`, () => process.exit(1));
});
