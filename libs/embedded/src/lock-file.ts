import { randomUUID } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import {
  hasCode,
  identityOf,
  isRunning,
  parseIdentity,
  printIdentity,
  textOrUndefined,
} from './process-identity.js';

export class LockHeldError extends Error {
  constructor(readonly pid: number) {
    super(`Process ${pid} holds the lock.`);
  }
}

/** Resolves with the lock's release; rejects with `LockHeldError` while a living process has it. */
export async function takeLock(file: string): Promise<() => Promise<void>> {
  const own = `${file}.${randomUUID()}`;
  await writeFile(own, await ownIdentity(), { mode: 0o600, flag: 'wx' });
  try {
    while (!(await isPlaced(own, file))) await removeStale(file);
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

/** A link appears whole or not at all, so nobody ever reads half a lock. */
async function isPlaced(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Only the holder of the claim on that very dead process removes its lock: otherwise the slower of two
 * starters, having judged the old lock stale, would delete the fresh lock of the faster.
 */
async function removeStale(file: string): Promise<void> {
  const found = await textOrUndefined(file);
  if (found === undefined) return;
  const holder = parseIdentity(found);
  if (holder && (await isRunning(holder))) throw new LockHeldError(holder.pid);

  const releaseClaim = await takeLock(`${file}.${holder?.pid ?? 'unreadable'}`);
  try {
    if ((await textOrUndefined(file)) === found) await rm(file);
  } finally {
    await releaseClaim();
  }
}
