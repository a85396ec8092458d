import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartupError } from '@app/config';
import { LockHeldError, takeLock } from './lock-file.js';

/** A directory that belongs to this process until it is released. */
export interface DataDirectory {
  readonly path: string;
  release(): Promise<void>;
}

/** Creates the directory, readable by its owner only, and locks it. Rejects with a `StartupError`. */
export async function openDataDirectory(dir: string): Promise<DataDirectory> {
  const path = resolve(dir);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return { path, release: await takeLock(join(path, 'lock')) };
  } catch (error) {
    throw startupError(dir, error);
  }
}

/** A directory that only its owner may enter, also one that was created with other permissions. */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}

function startupError(dir: string, error: unknown): StartupError {
  if (error instanceof LockHeldError) {
    return new StartupError(
      `Another Heddle (pid ${error.pid}) is using ${dir}; stop it or set DATA_DIR to another directory.`,
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new StartupError(
    `The data directory ${dir} cannot be used (${reason}); make it writable or set DATA_DIR to another directory.`,
    { cause: error },
  );
}
