import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BackupKey } from './backup-key.js';
import { savedFile, type SavedFile } from './manifest.js';

/** All files of a backup, in order. */
export async function savedFiles(directory: string): Promise<SavedFile[]> {
  const files: SavedFile[] = [];
  for (const path of await pathsIn(directory, '')) files.push(await savedFile(directory, path));
  return files;
}

/** Replaces the files in a directory of the backup by encrypted ones. */
export async function encryptFiles(
  directory: string,
  below: string,
  key: BackupKey,
  signal: AbortSignal,
): Promise<void> {
  for (const path of await pathsIn(directory, below)) {
    const file = join(directory, path);
    const sealed = createWriteStream(`${file}.sealed`, { mode: 0o600, flags: 'wx' });
    await pipeline(createReadStream(file), key.encryption(path), sealed, { signal });
    await rename(`${file}.sealed`, file);
  }
}

/** Writes a readable copy of an encrypted file of a backup into another directory. */
export async function decryptFile(
  directory: string,
  path: string,
  into: string,
  key: BackupKey,
  signal: AbortSignal,
): Promise<void> {
  const file = join(into, path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const plain = createWriteStream(file, { mode: 0o600, flags: 'wx' });
  await pipeline(createReadStream(join(directory, path)), key.decryption(path), plain, { signal });
}

async function pathsIn(directory: string, below: string): Promise<string[]> {
  const entries = await readdir(join(directory, below), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .sort();
}
