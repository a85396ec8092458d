import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartupError } from '@app/config';
import { bucketAddress, isBucket, requireBucket } from './cold-bucket.js';
import { makePrivateDirectory } from './data-directory.js';
import { textOrUndefined } from './process-identity.js';

/** In the data directory of ClickHouse: where its cold volume is. */
const RECORD = 'cold-directory';
/** In the cold directory: tells it from an empty directory on which no disk is mounted. */
const MARKER = '.heddle-cold';

/**
 * The directory of the cold volume, or the HTTP address of a bucket; undefined without one. It is used until its data is elsewhere, also when COLD_DIR is not
 * set any more: ClickHouse would start without the parts that are there.
 */
export async function coldDirectory(directory: string, given: string): Promise<string | undefined> {
  const known = (await textOrUndefined(join(directory, RECORD)))?.trim();
  const path = given === '' ? known : placeOf(given);
  if (path === undefined) return undefined;
  if (isBucket(path) || isBucket(known ?? '')) return coldBucket(directory, path, known);
  if (known !== undefined) await requireMarker(path, known);
  await makePrivateDirectory(path);
  await writeFile(join(path, MARKER), '', { mode: 0o600 });
  await writeFile(join(directory, RECORD), `${path}\n`, { mode: 0o600 });
  return path;
}

const placeOf = (given: string): string =>
  isBucket(given) ? given.replace(/\/+$/, '') : resolve(given);

/** ClickHouse itself has the names of its objects, in the data directory, so they cannot be moved elsewhere. */
async function coldBucket(
  directory: string,
  place: string,
  known: string | undefined,
): Promise<string> {
  if (known !== undefined && known !== place)
    throw new StartupError(`Old data of ClickHouse is in ${known}; set COLD_DIR to ${known}.`);
  const address = bucketAddress(place);
  // Later, an outage of the bucket must not keep Heddle from accepting writes.
  if (known === undefined) await requireBucket(place, address);
  await writeFile(join(directory, RECORD), `${place}\n`, { mode: 0o600 });
  return address;
}

async function requireMarker(path: string, known: string): Promise<void> {
  if ((await textOrUndefined(join(path, MARKER))) !== undefined) return;
  throw new StartupError(
    path === known
      ? `${known} has old data of ClickHouse and is missing or empty; mount its disk, or set COLD_DIR to where the data is now.`
      : `Old data of ClickHouse is in ${known}; move that directory to ${path}, or set COLD_DIR to ${known}.`,
  );
}
