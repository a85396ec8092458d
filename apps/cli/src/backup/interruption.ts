import { BackupError } from './backup-error.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Runs work that cleans up after itself when the command is told to end. */
export async function interruptible<T>(
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = () =>
    interrupted.abort(new BackupError(`The ${what} was interrupted; nothing of it is left.`));
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    return await work(interrupted.signal);
  } catch (error) {
    // Timers and streams that were aborted have errors of their own.
    interrupted.signal.throwIfAborted();
    throw error;
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, interrupt);
  }
}
