import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { StartupError } from '@app/config';
import { isWhole, SHADOW, type Definition, type DefinitionCopies } from './definition-copies.js';

/**
 * ClickHouse does not start with the empty files that a full disk leaves. Repairs them, and resolves with a sentence for each kind of
 * repair. Rejects with a `StartupError` when the definition of a table cannot be restored.
 */
export async function repairEmptyFiles(
  dataPath: string,
  copies: DefinitionCopies,
): Promise<readonly string[]> {
  const repairs = [
    ['Restored definitions of tables from their copies', await restoreDefinitions(copies)],
    ['Removed tables of unfinished rebuilds without a definition', await removeRebuilds(copies)],
    ['Removed mutations that a full disk has left empty', await removeEmptyMutations(dataPath)],
  ] as const;
  return repairs
    .filter(([, files]) => files.length > 0)
    .map(([repair, files]) => `${repair}: ${files.join(', ')}`);
}

async function restoreDefinitions(copies: DefinitionCopies): Promise<readonly string[]> {
  const empty = (await emptyDefinitions(copies)).filter(({ file }) => !SHADOW.test(file));
  const lost: Definition[] = [];
  for (const definition of empty) if (!(await copies.restore(definition))) lost.push(definition);
  if (lost.length > 0) {
    throw new StartupError(
      'The definitions of these tables are empty, because the disk of ClickHouse was full while they were changed, and no copy fits their data: ' +
        `${lost.map(({ file }) => file).join(', ')}. docs/operations/disk-full.md says how to restore them.`,
    );
  }
  return empty.map(({ file }) => basename(file, '.sql'));
}

async function removeRebuilds(copies: DefinitionCopies): Promise<readonly string[]> {
  const empty = (await emptyDefinitions(copies)).filter(({ file }) => SHADOW.test(file));
  for (const { file } of empty) await rm(file);
  return empty.map(({ file }) => basename(file, '.sql'));
}

async function emptyDefinitions(copies: DefinitionCopies): Promise<Definition[]> {
  return (await copies.definitions()).filter((definition) => !isWhole(definition));
}

/**
 * `DELETE` and `ALTER TABLE … DELETE` are mutations. What such a file has lost is not executed again after the start. An erasure waits
 * for its mutations, so it has failed or was complete.
 */
async function removeEmptyMutations(dataPath: string): Promise<readonly string[]> {
  const empty = await emptyFiles(dataPath, /^mutation_\d+\.txt$/);
  for (const file of empty) await rm(file);
  return empty;
}

/** Of tables: `store/<first three characters>/<id of the table>/<file>`. */
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
