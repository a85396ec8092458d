import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Logger } from '@app/observability';

/**
 * Lets others have the processors before a process and the threads that it will start. Linux usually divides the processors between
 * sessions first, so a process with a session of its own competes with others by the priority of its session.
 */
export function lowerPriority(pid: number, nice: number, logger: Logger): void {
  const session = `/proc/${pid}/autogroup`;
  try {
    setPriority(pid, nice);
    if (existsSync(session)) writeFileSync(session, String(nice));
  } catch (error) {
    // It works the same, in competition with others.
    const reason = (error as Error).message;
    logger.debug('The priority of a process could not be lowered.', { pid, reason });
  }
}
