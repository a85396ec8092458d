import { StartupError } from '@app/config';
import type { Logger } from './logger.js';

/** A running application. */
export interface Running {
  close(): Promise<void>;
}

const STOP_TIMEOUT_MS = 30_000;
/** Shorter, because an orphaned child loses its Redis and ClickHouse as well. */
const ORPHAN_STOP_TIMEOUT_MS = 5000;

/**
 * Runs until SIGTERM, Ctrl-C or, with `--supervised`, the end of stdin, then shuts down gracefully. A process that cannot
 * start prints the reason and exits with 1.
 */
export async function run(start: () => Promise<Running>, logger: () => Logger): Promise<void> {
  const parent = process.ppid;
  const isSupervised = process.argv.includes('--supervised');
  let running: Running | undefined;
  // A start waits until Redis responds, and without its parent no process would stop it.
  if (isSupervised) process.stdin.on('end', () => running ?? process.exit(1)).resume();
  try {
    running = await start();
  } catch (error) {
    failStart(error);
    return;
  }
  const started = running;
  const stop = once(() => {
    if (isSupervised) exitWhenOrphaned(parent, logger());
    void stopAll(started, logger());
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (isSupervised) process.stdin.on('end', stop);
}

function failStart(error: unknown): void {
  const isForPeople = error instanceof StartupError;
  const text = isForPeople ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`heddle: ${text}\n`);
  process.exit(1);
}

function exitWhenOrphaned(parent: number, logger: Logger): void {
  setTimeout(() => {
    if (process.ppid !== parent) abortShutdown(logger);
  }, ORPHAN_STOP_TIMEOUT_MS).unref();
}

function abortShutdown(logger: Logger): void {
  logger.error('Shutdown timed out; exiting. Unfinished work continues at the next start.');
  process.exit(1);
}

async function stopAll(running: Running, logger: Logger): Promise<void> {
  const timeout = setTimeout(() => abortShutdown(logger), STOP_TIMEOUT_MS).unref();
  try {
    await running.close();
    clearTimeout(timeout);
    process.exit(0);
  } catch (error) {
    logger.error('Shutdown failed.', { error: String(error) });
    process.exit(1);
  }
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}
