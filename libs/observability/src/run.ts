import { logFormatIn, StartupError } from '@app/config';
import { useReturnableBufferPools } from './buffer-pool.js';
import { collectWhenIdle } from './idle-collector.js';
import { createLogger, logDestination, type Logger } from './logger.js';

/** A running application. */
export interface Running {
  close(): Promise<void>;
}

const STOP_TIMEOUT_MS = 30_000;
/** Shorter, because an orphaned child loses its Redis and ClickHouse as well. */
const ORPHAN_STOP_TIMEOUT_MS = 5000;

/**
 * Runs until SIGTERM, Ctrl-C or, with `--supervised`, the end of stdin, then shuts down gracefully. A process that cannot
 * start prints the reason and exits with 1. `made` returns the logger once there is one.
 */
export async function run(
  start: () => Promise<Running>,
  made: () => Logger | undefined,
): Promise<void> {
  useReturnableBufferPools();
  const logger = () => made() ?? createLogger('heddle', 'info', logDestination(logFormatIn()));
  logEndOfProcess(logger);
  const parent = process.ppid;
  const isSupervised = process.argv.includes('--supervised');
  let running: Running | undefined;
  // A start waits until Redis responds, and without its parent no process would stop it.
  if (isSupervised) process.stdin.on('end', () => running ?? process.exit(1)).resume();
  try {
    running = await start();
  } catch (error) {
    failStart(error, logger());
    return;
  }
  collectWhenIdle();
  const started = running;
  const stop = once(() => {
    if (isSupervised) exitWhenOrphaned(parent, logger());
    void stopAll(started, logger());
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (isSupervised) process.stdin.on('end', stop);
}

/** A person at a terminal reads a sentence, and everything else a line of the log. */
function failStart(error: unknown, logger: Logger): void {
  const isForPeople = error instanceof StartupError;
  const text = isForPeople ? error.message : describe(error);
  if (process.stderr.isTTY) process.stderr.write(`heddle: ${text}\n`);
  else if (isForPeople) logger.error(text);
  else logger.error('The process could not start.', { error: text });
  process.exit(1);
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Node would print a stack over many lines, and its warnings as text. */
function logEndOfProcess(logger: () => Logger): void {
  process.on('uncaughtException', (error, origin) => {
    const what = origin === 'unhandledRejection' ? 'A promise was rejected' : 'An error was thrown';
    logger().error(`${what} and not handled; exiting.`, { error: describe(error) });
    process.exit(1);
  });
  process.removeAllListeners('warning');
  process.on('warning', (warning) =>
    logger().warn('Node.js reported a warning.', { error: describe(warning) }),
  );
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
