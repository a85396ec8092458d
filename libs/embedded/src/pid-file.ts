import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@app/observability';
import {
  hasCode,
  identityOf,
  isRunning,
  parseIdentity,
  printIdentity,
  textOrUndefined,
  type ProcessIdentity,
} from './process-identity.js';

const GRACE_MS = 10_000;
const POLL_MS = 20;

/** Writes the pid file unless the child has already exited. */
export async function writePidFile(file: string, pid: number): Promise<void> {
  const identity = await identityOf(pid);
  if (identity) await writeFile(file, printIdentity(identity), { mode: 0o600 });
}

/** Stops the child of a crashed earlier run, which would still use the directory. */
export async function stopOrphan(file: string, name: string, logger: Logger): Promise<void> {
  const orphan = parseIdentity((await textOrUndefined(file)) ?? '');
  if (orphan && (await isRunning(orphan))) {
    logger.warn(`${name} of an earlier run is still running; stopping it.`, { pid: orphan.pid });
    await stop(orphan);
  }
  await rm(file, { force: true });
}

async function stop(orphan: ProcessIdentity): Promise<void> {
  signalGroup(orphan.pid, 'SIGTERM');
  const deadline = Date.now() + GRACE_MS;
  while (await isRunning(orphan)) {
    if (Date.now() > deadline) signalGroup(orphan.pid, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

/** Signals all processes in a child's process group. Does nothing when there are none. */
export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
