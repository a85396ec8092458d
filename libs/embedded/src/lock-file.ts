import { randomUUID } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { HeddleError } from '@app/errors';
import {
  hasCode,
  identityOf,
  isRunning,
  parseIdentity,
  printIdentity,
  textOrUndefined,
} from './process-identity.js';

export class LockHeldError extends HeddleError {
  readonly code = 'lock_taken';

  constructor(readonly pid: number) {
    super(`Process ${pid} holds the lock.`);
  }
}

/** Resolves with a function that releases the lock. Rejects with `LockHeldError` while a running process has it. */
export async function takeLock(file: string): Promise<() => Promise<void>> {
  const own = `${file}.${randomUUID()}`;
  await writeFile(own, await ownIdentity(), { mode: 0o600, flag: 'wx' });
  try {
    while (!(await isCreated(own, file))) await removeStale(file);
  } finally {
    await rm(own, { force: true });
  }
  return () => rm(file, { force: true });
}

async function ownIdentity(): Promise<string> {
  const identity = await identityOf(process.pid);
  if (!identity) throw new Error(`The start time of process ${process.pid} cannot be read.`);
  return printIdentity(identity);
}

/** Creating a link is atomic, so no process reads a partial lock file. */
async function isCreated(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * A process removes a stale lock only while it holds a second lock, named after the dead owner. Without it, the slower of
 * two starting processes could delete the new lock of the faster one.
 */
async function removeStale(file: string): Promise<void> {
  const found = await textOrUndefined(file);
  if (found === undefined) return;
  const owner = parseIdentity(found);
  if (owner && (await isRunning(owner))) throw new LockHeldError(owner.pid);

  const release = await takeLock(`${file}.${owner?.pid ?? 'unreadable'}`);
  try {
    if ((await textOrUndefined(file)) === found) await rm(file);
  } finally {
    await release();
  }
}
