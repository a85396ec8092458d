import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartupError } from '@app/config';
import { makePrivateDirectory } from './data-directory.js';
import { textOrUndefined } from './process-identity.js';

/** In the data directory of ClickHouse: where its cold volume is. */
const RECORD = 'cold-directory';
/** In the cold directory: tells it from an empty directory on which no disk is mounted. */
const MARKER = '.heddle-cold';

/**
 * The directory of the cold volume; undefined without one. It is used until its data is elsewhere, also when COLD_DIR is not
 * set any more: ClickHouse would start without the parts that are there.
 */
export async function coldDirectory(directory: string, given: string): Promise<string | undefined> {
  const known = (await textOrUndefined(join(directory, RECORD)))?.trim();
  const path = given === '' ? known : resolve(given);
  if (path === undefined) return undefined;
  if (known !== undefined) await requireMarker(path, known);
  await makePrivateDirectory(path);
  await writeFile(join(path, MARKER), '', { mode: 0o600 });
  await writeFile(join(directory, RECORD), `${path}\n`, { mode: 0o600 });
  return path;
}

async function requireMarker(path: string, known: string): Promise<void> {
  if ((await textOrUndefined(join(path, MARKER))) !== undefined) return;
  throw new StartupError(
    path === known
      ? `${known} has old data of ClickHouse and is missing or empty; mount its disk, or set COLD_DIR to where the data is now.`
      : `Old data of ClickHouse is in ${known}; move that directory to ${path}, or set COLD_DIR to ${known}.`,
  );
}
