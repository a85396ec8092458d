import { textOrUndefined } from './process-identity.js';

export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** Linux's USER_HZ, which is 100 for programs whatever the tick of the kernel is. */
const TICKS_PER_SECOND = 100;

/** Undefined when the process has ended, and where there is no /proc. */
export async function usageOf(pid: number): Promise<ProcessUsage | undefined> {
  const [stat, status] = await Promise.all(
    ['stat', 'status'].map((name) => textOrUndefined(`/proc/${pid}/${name}`)),
  );
  return stat === undefined || status === undefined ? undefined : usageIn(stat, status);
}

/** Fields of `stat` are counted after the command, which may contain spaces and brackets. */
export function usageIn(stat: string, status: string): ProcessUsage {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return { cpuSeconds: ticks / TICKS_PER_SECOND, memoryBytes: Number(kilobytes) * 1024 };
}
