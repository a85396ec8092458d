import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BackupError } from './backup-error.js';

export const MANIFEST_FILE = 'manifest.json';
const FORMAT = 1;

export interface SavedTable {
  readonly name: string;
  readonly rows: number;
  /** Of the sorting keys and versions of all rows. */
  readonly checksum: string;
  /** False when the table was written to during the backup, so that the restored one may have other rows. */
  readonly is_exact: boolean;
}

export interface SavedFile {
  /** Relative to the directory of the backup. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a backup contains. It is written last: a directory without it is not a backup. */
export interface Manifest {
  readonly format: typeof FORMAT;
  readonly id: string;
  /** Everything that was acknowledged before is in the backup. */
  readonly began_at: string;
  readonly ended_at: string;
  readonly versions: {
    readonly heddle: string;
    readonly clickhouse: string;
    readonly redis: string;
  };
  /** The number of the last migration. */
  readonly migration: number;
  readonly database: string;
  /** The weights of the shards of a cluster, each of which has a directory of its own; null for a single server. */
  readonly shards: readonly number[] | null;
  readonly base: { readonly id: string; readonly path: string } | null;
  /** Which key; null when the backup is not encrypted. */
  readonly key_id: string | null;
  /** The bucket with files, which is not part of the backup; null when files are in ClickHouse. */
  readonly files_bucket: string | null;
  readonly pending_chunks: number;
  readonly tables: readonly SavedTable[];
  readonly files: readonly SavedFile[];
}

export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  const path = join(directory, MANIFEST_FILE);
  const file = await open(`${path}.part`, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
}

/** Rejects with BackupError for a directory that is not a complete backup of this format. */
export async function readManifest(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, MANIFEST_FILE), 'utf8').catch((error: Error) => {
    throw new BackupError(
      `${directory} is not a complete backup: its ${MANIFEST_FILE} cannot be read (${error.message}).`,
    );
  });
  const manifest = parsed(text);
  if (manifest?.format === FORMAT) {
    for (const { path } of manifest.files) requireInside(path);
    // Manifests of single servers did not have it at first.
    return { ...manifest, shards: manifest.shards ?? null };
  }
  throw new BackupError(
    `${join(directory, MANIFEST_FILE)} is not the manifest of a backup that this version can read.`,
  );
}

function parsed(text: string): Manifest | undefined {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    return undefined;
  }
}

export async function savedFile(directory: string, path: string): Promise<SavedFile> {
  const file = join(directory, path);
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return { path, bytes: (await stat(file)).size, sha256: hash.digest('hex') };
}

type Progress = (doneBytes: number, totalBytes: number) => void;

/** Reads every file. Rejects with BackupError that names the first one which is missing or differs. */
export async function verifyFiles(
  directory: string,
  { files }: Manifest,
  progress: Progress,
): Promise<void> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const expected of files) {
    const found = await savedFile(directory, expected.path).catch((error: Error) => {
      throw new BackupError(
        `${join(directory, expected.path)} cannot be read (${error.message}); use another backup.`,
      );
    });
    if (found.bytes !== expected.bytes || found.sha256 !== expected.sha256)
      throw new BackupError(
        `${join(directory, expected.path)} is not the file that was written (its SHA-256 differs); use another backup.`,
      );
    done += expected.bytes;
    progress(done, total);
  }
}

/** A manifest is a file of the operator, but it must not lead out of its directory. */
function requireInside(path: string): void {
  const isInside = !path.includes('\0') && !path.split(/[/\\]/).some((part) => UNSAFE.has(part));
  if (!isInside)
    throw new BackupError(`The manifest has a file with an invalid name: ${path.slice(0, 100)}.`);
}

const UNSAFE: ReadonlySet<string> = new Set(['', '.', '..']);
