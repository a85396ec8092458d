import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { BucketDirectory } from '@app/blobs';
import { progressLine, UsageError } from '../context.js';
import { MANIFEST_FILE, readManifest } from './manifest.js';
import { emptyDirectory, type TargetDirectory } from './target-directory.js';

/** Where a backup is written: a directory, or a bucket to which the directory is copied in the end. */
export interface BackupTarget extends TargetDirectory {
  /** As the operator names it. */
  readonly name: string;
  /** Resolves when the files are where they belong. The manifest is the last of them. */
  finish(paths: readonly string[], signal: AbortSignal): Promise<void>;
}

/** Rejects with UsageError for a place that has something in it. */
export async function backupTarget(to: string): Promise<BackupTarget> {
  const bucket = bucketOf(to);
  if (bucket === undefined) {
    const directory = await emptyDirectory(to, '--to');
    return { ...directory, name: directory.path, finish: () => Promise.resolve() };
  }
  if (!(await bucket.isEmpty()))
    throw new UsageError(`--to ${to} is not empty; name a new prefix.`);
  const { path, remove } = await temporaryCopy();
  return {
    path,
    remove,
    name: to,
    finish: async (paths, signal) => {
      await upload(bucket, path, [...paths, MANIFEST_FILE], signal);
      await remove();
    },
  };
}

async function upload(
  bucket: BucketDirectory,
  directory: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const progress = progressLine('files uploaded');
  try {
    for (const [i, path] of paths.entries()) {
      await bucket.upload(path, join(directory, path), signal);
      progress(i + 1, paths.length);
    }
  } catch (error) {
    await bucket.remove(paths);
    throw error;
  } finally {
    await bucket.close();
  }
}

/** A directory with the files of a backup, or with a copy of some of them. */
export interface BackupSource {
  readonly path: string;
  /** Removes a copy. */
  release(): Promise<void>;
}

/** Of a backup in a bucket, downloads the manifest and the files that `isNeeded`. */
export async function backupSource(
  place: string,
  signal: AbortSignal,
  isNeeded: (path: string) => boolean = () => true,
): Promise<BackupSource> {
  const bucket = bucketOf(place);
  if (bucket === undefined) return { path: resolve(place), release: () => Promise.resolve() };
  const { path, remove } = await temporaryCopy();
  try {
    await bucket.download(MANIFEST_FILE, join(path, MANIFEST_FILE), signal);
    const files = (await readManifest(path)).files.filter((file) => isNeeded(file.path));
    const progress = progressLine('files downloaded');
    for (const [i, file] of files.entries()) {
      await mkdir(dirname(join(path, file.path)), { recursive: true, mode: 0o700 });
      await bucket.download(file.path, join(path, file.path), signal);
      progress(i + 1, files.length);
    }
    return { path, release: remove };
  } catch (error) {
    await remove();
    throw error;
  } finally {
    await bucket.close();
  }
}

export const isBucket = (place: string): boolean => place.startsWith('s3://');

function bucketOf(place: string): BucketDirectory | undefined {
  const bucket = BucketDirectory.of(place);
  if (bucket === undefined && /^\w+:\/\//.test(place))
    throw new UsageError(`${place.slice(0, 100)} is neither a directory nor s3://bucket/prefix.`);
  return bucket;
}

/** A new directory that only its owner may enter, below TMPDIR. */
export async function temporaryCopy(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'heddle-backup-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
