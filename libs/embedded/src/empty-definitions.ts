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
  const empty: string[] = [];
  for (const file of await definitions(join(dataPath, 'store'))) {
    if ((await stat(file)).size === 0) empty.push(file);
  }
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

/** Of every table: `store/<first three characters>/<id of the database>/<table>.sql`. */
async function definitions(store: string): Promise<string[]> {
  const groups = await directoriesIn(store);
  const databases = (await Promise.all(groups.map(directoriesIn))).flat();
  const files = await Promise.all(
    databases.map(async (directory) =>
      (await readdir(directory))
        .filter((name) => name.endsWith('.sql'))
        .map((name) => join(directory, name)),
    ),
  );
  return files.flat();
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
