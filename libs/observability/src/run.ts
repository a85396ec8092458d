import type { Logger } from './logger.js';

/** What a process runs, and how it stops. */
export interface Running {
  close(): Promise<void>;
}

const STOP_WITHIN_MS = 30_000;

/**
 * Runs until told to stop (SIGTERM, Ctrl-C, or the end of the pipe to the parent when `--supervised`), then closes in an
 * orderly way. What cannot start says so in one sentence and exits with 1.
 */
export async function run(start: () => Promise<Running>, logger: () => Logger): Promise<void> {
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    refuse(error);
    return;
  }
  const stop = once(() => void stopAll(running, logger()));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (process.argv.includes('--supervised')) process.stdin.on('end', stop).resume();
}

function refuse(error: unknown): void {
  const isForPeople = error instanceof Error && error.name === 'StartProblem';
  const text = isForPeople ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`heddle: ${text}\n`);
  process.exit(1);
}

async function stopAll(running: Running, logger: Logger): Promise<void> {
  const tooLong = setTimeout(() => {
    logger.error('Stopping took too long; leaving what is left to the next start.');
    process.exit(1);
  }, STOP_WITHIN_MS).unref();
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
