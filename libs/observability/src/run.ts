import type { Logger } from './logger.js';

/** What a process runs, and how it stops. */
export interface Running {
  close(): Promise<void>;
}

const STOP_WITHIN_MS = 30_000;
/** A child whose parent was killed has little to wait for: the Redis and the ClickHouse it worked with are going, too. */
const STOP_ORPHANED_WITHIN_MS = 5000;

/**
 * Runs until told to stop (SIGTERM, Ctrl-C, or the end of the pipe to the parent when `--supervised`), then closes in an
 * orderly way. What cannot start says so in one sentence and exits with 1.
 */
export async function run(start: () => Promise<Running>, logger: () => Logger): Promise<void> {
  const parent = process.ppid;
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    refuse(error);
    return;
  }
  const isSupervised = process.argv.includes('--supervised');
  const stop = once(() => {
    if (isSupervised) leaveWithParent(parent, logger());
    void stopAll(running, logger());
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (isSupervised) process.stdin.on('end', stop).resume();
}

function refuse(error: unknown): void {
  const isForPeople = error instanceof Error && error.name === 'StartupError';
  const text = isForPeople ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`heddle: ${text}\n`);
  process.exit(1);
}

function leaveWithParent(parent: number, logger: Logger): void {
  setTimeout(() => {
    if (process.ppid !== parent) giveUp(logger);
  }, STOP_ORPHANED_WITHIN_MS).unref();
}

function giveUp(logger: Logger): void {
  logger.error('Stopping took too long; leaving what is left to the next start.');
  process.exit(1);
}

async function stopAll(running: Running, logger: Logger): Promise<void> {
  const tooLong = setTimeout(() => giveUp(logger), STOP_WITHIN_MS).unref();
  try {
    await running.close();
    clearTimeout(tooLong);
    process.exit(0);
  } catch (error) {
    logger.error('Stopping failed.', { error: String(error) });
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
