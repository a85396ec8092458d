import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../context.js';

/** An empty directory for a backup or for restored data, which is emptied again when the work fails. */
export interface TargetDirectory {
  readonly path: string;
  /** Removes what was put into it, and the directory if it did not exist. */
  remove(): Promise<void>;
}

/** Rejects with UsageError for a directory that has something in it. */
export async function emptyDirectory(given: string, option: string): Promise<TargetDirectory> {
  const path = resolve(given);
  const found = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UsageError(`${option} ${given} cannot be used (${error.message}).`);
  });
  if (found !== undefined && found.length > 0)
    throw new UsageError(`${option} ${given} is not empty; name a new directory.`);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await chmod(path, 0o700);
  } catch (error) {
    throw new UsageError(`${option} ${given} cannot be created (${(error as Error).message}).`);
  }
  return {
    path,
    remove: async () => {
      for (const name of await readdir(path)) await rm(join(path, name), { recursive: true });
      if (found === undefined) await rm(path, { recursive: true });
    },
  };
}
