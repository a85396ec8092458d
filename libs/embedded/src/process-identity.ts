import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { plainEnvironment } from './plain-environment.js';

/** A pid and the start time of its process, because pids are reused. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** Undefined when no such process runs. */
export async function identityOf(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt =
    process.platform === 'linux' ? await startFromProc(pid) : await startFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  const now = await identityOf(identity.pid);
  return now?.startedAt === identity.startedAt;
}

export function printIdentity({ pid, startedAt }: ProcessIdentity): string {
  return `${pid} ${startedAt}\n`;
}

export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [, pid, startedAt] = /^(\d+) (\S.*)\n$/.exec(text) ?? [];
  return pid && startedAt ? { pid: Number(pid), startedAt } : undefined;
}

/** Ticks since boot and the boot id: after a reboot the same pid may start at the same tick. */
async function startFromProc(pid: number): Promise<string | undefined> {
  const [stat, boot] = await Promise.all([
    textOrUndefined(`/proc/${pid}/stat`),
    textOrUndefined('/proc/sys/kernel/random/boot_id'),
  ]);
  return stat === undefined ? undefined : startInStat(stat, boot?.trim() ?? 'unknown');
}

/** The command in the second field may contain spaces and brackets, so fields are counted after the last `)`. */
export function startInStat(stat: string, bootId: string): string | undefined {
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  const ticks = fields[18];
  return ticks === undefined ? undefined : `${ticks}@${bootId}`;
}

async function startFromPs(pid: number): Promise<string | undefined> {
  const args = ['-o', 'lstart=', '-p', String(pid)];
  const ps = promisify(execFile)('ps', args, { env: plainEnvironment() });
  const { stdout } = await ps.catch(() => ({ stdout: '' })); // ps exits with 1 for an unknown pid
  return stdout.trim() || undefined;
}

export async function textOrUndefined(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}

/** Checks the property, because under Jest the errors of Node are not instances of the test's `Error`. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
