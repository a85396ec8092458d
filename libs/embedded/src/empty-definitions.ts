import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { StartupError } from '@app/config';

/** The tables that a rebuild fills and that it creates each time that it runs. */
const SHADOW = /_rebuild_[0-9a-f]{8}(_local)?\.sql$/;

/**
 * ClickHouse does not start when the definition of a table is empty, which a full disk causes. Removes such definitions of
 * unfinished rebuilds and resolves with their names. Rejects with a `StartupError` for other tables, which have data.
 */
export async function removeEmptyDefinitions(dataPath: string): Promise<readonly string[]> {
  const empty = await emptyFiles(dataPath, /\.sql$/);
  const others = empty.filter((file) => !SHADOW.test(file));
  if (others.length > 0) {
    throw new StartupError(
      `The definitions of these tables are empty, because the disk of ClickHouse was full while they were changed: ${others.join(', ')}. ` +
        'docs/operations/disk-full.md says how to restore them.',
    );
  }
  for (const file of empty) await rm(file);
  return empty.map((file) => basename(file, '.sql'));
}

/**
 * The same for mutations, which `DELETE` and `ALTER TABLE … DELETE` are. What such a file has lost is not executed again after the start. An
 * erasure waits for its mutations, so it has failed or was complete.
 */
export async function removeEmptyMutations(dataPath: string): Promise<readonly string[]> {
  const empty = await emptyFiles(dataPath, /^mutation_\d+\.txt$/);
  for (const file of empty) await rm(file);
  return empty;
}

/** Of tables and databases: `store/<first three characters>/<id of the table or database>/<file>`. */
async function emptyFiles(dataPath: string, name: RegExp): Promise<string[]> {
  const groups = await directoriesIn(join(dataPath, 'store'));
  const directories = (await Promise.all(groups.map(directoriesIn))).flat();
  const empty: string[] = [];
  for (const directory of directories) {
    const files = (await readdir(directory)).filter((file) => name.test(file));
    for (const file of files) {
      const path = join(directory, file);
      if ((await stat(path)).size === 0) empty.push(path);
    }
  }
  return empty;
}

async function directoriesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  return entries.filter((one) => one.isDirectory()).map(({ name }) => join(directory, name));
}
