import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Path of the first of these programs on the PATH. */
export async function findBinary(
  names: readonly string[],
  path = process.env['PATH'] ?? '',
): Promise<string | undefined> {
  const directories = path.split(delimiter).filter((directory) => directory !== '');
  for (const name of names) {
    for (const directory of directories) {
      const file = join(directory, name);
      if (await isExecutable(file)) return file;
    }
  }
  return undefined;
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
