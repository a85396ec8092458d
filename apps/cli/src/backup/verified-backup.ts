import { progressLine } from '../context.js';
import { BackupError } from './backup-error.js';
import { decryptFile } from './backup-files.js';
import type { BackupKey } from './backup-key.js';
import { backupSource, isBucket, temporaryCopy } from './backup-place.js';
import type { BackupBase } from './backup-plan.js';
import { readManifest, verifyFiles, type Manifest } from './manifest.js';
import { TABLES_DIRECTORY } from './table-groups.js';

export interface VerifiedBackup {
  readonly directory: string;
  readonly manifest: Manifest;
  /** The directory in which ClickHouse can read the tables: of an encrypted backup, a copy. */
  readonly tablesPath: string;
  /** The same of the full backup that an incremental one needs. */
  readonly basePath: string | undefined;
}

export interface BackupChoice {
  readonly from: string;
  /** Where its base is now. */
  readonly base?: string | undefined;
  readonly key: BackupKey | undefined;
}

/** Runs `work` with places of which the copies are removed afterwards. */
class OpenBackups {
  private readonly releases: (() => Promise<void>)[] = [];

  constructor(
    private readonly key: BackupKey | undefined,
    private readonly signal: AbortSignal,
  ) {}

  async path(place: string, isNeeded?: (path: string) => boolean): Promise<string> {
    const source = await backupSource(place, this.signal, isNeeded);
    this.releases.push(() => source.release());
    return source.path;
  }

  /** Where the tables of the backup can be read. */
  async tables(
    directory: string,
    { files, key_id }: Manifest,
    isNeeded: (path: string) => boolean = () => true,
  ): Promise<string> {
    if (key_id === null || this.key === undefined) return directory;
    const { path: into, remove } = await temporaryCopy();
    this.releases.push(remove);
    for (const { path } of files)
      if (path.startsWith(`${TABLES_DIRECTORY}/`) && isNeeded(path))
        await decryptFile(directory, path, into, this.key, this.signal);
    return into;
  }

  async close(): Promise<void> {
    for (const release of this.releases) await release();
  }
}

/**
 * Runs `work` with a backup of which every file was read, also of its base. Rejects with BackupError unless all are complete and the
 * key is the right one.
 */
export async function withVerifiedBackup<T>(
  { from, base, key }: BackupChoice,
  signal: AbortSignal,
  work: (backup: VerifiedBackup) => Promise<T>,
): Promise<T> {
  const open = new OpenBackups(key, signal);
  try {
    const directory = await open.path(from);
    const manifest = await readManifest(directory);
    requireKey(from, manifest, key);
    await verifyFiles(directory, manifest, progressLine('bytes verified'));
    const tablesPath = await open.tables(directory, manifest);
    if (manifest.base === null)
      return await work({ directory, manifest, tablesPath, basePath: undefined });
    const baseDirectory = await open.path(base ?? manifest.base.path);
    const baseManifest = await verifiedBase(baseDirectory, manifest.base.id);
    const basePath = await open.tables(baseDirectory, baseManifest);
    return await work({ directory, manifest, tablesPath, basePath });
  } finally {
    await open.close();
  }
}

/** Reads every file, of which none is decrypted. The key is checked if there is one. */
export async function verifyBackup(
  { from, base, key }: BackupChoice,
  signal: AbortSignal,
): Promise<Manifest> {
  const open = new OpenBackups(undefined, signal);
  try {
    const directory = await open.path(from);
    const manifest = await readManifest(directory);
    if (key !== undefined) requireKey(from, manifest, key);
    await verifyFiles(directory, manifest, progressLine('bytes verified'));
    if (manifest.base !== null)
      await verifiedBase(await open.path(base ?? manifest.base.path), manifest.base.id);
    return manifest;
  } finally {
    await open.close();
  }
}

/** To compare with its base, ClickHouse reads only the list of files that it has written. */
const isFileList = (path: string): boolean => path.endsWith('/.backup');

export async function withBase<T>(
  place: string | undefined,
  key: BackupKey | undefined,
  signal: AbortSignal,
  work: (base: BackupBase | undefined) => Promise<T>,
): Promise<T> {
  if (place === undefined) return work(undefined);
  const open = new OpenBackups(key, signal);
  try {
    const directory = await open.path(place, isFileList);
    const manifest = await readManifest(directory);
    requireFull(place, manifest, key);
    const path = await open.tables(directory, manifest, isFileList);
    const { id, shards } = manifest;
    return await work({ name: isBucket(place) ? place : directory, id, path, shards });
  } finally {
    await open.close();
  }
}

function requireFull(place: string, { base, key_id }: Manifest, key: BackupKey | undefined): void {
  if (base !== null)
    throw new BackupError(
      `${place} is itself incremental; give the full backup that it is based on (${base.path}).`,
    );
  if (key_id !== (key?.id ?? null))
    throw new BackupError(
      `${place} is ${key_id === null ? 'not encrypted' : 'encrypted with another key'}; a backup is encrypted like its base.`,
    );
}

function requireKey(from: string, { key_id }: Manifest, key: BackupKey | undefined): void {
  if (key_id === (key?.id ?? null)) return;
  if (key_id === null) throw new BackupError(`${from} is not encrypted; omit --decrypt-with.`);
  throw new BackupError(
    key === undefined
      ? `${from} is encrypted; give its key with --decrypt-with <file>.`
      : `${from} is encrypted with another key than the one given.`,
  );
}

async function verifiedBase(path: string, id: string): Promise<Manifest> {
  const found = await readManifest(path);
  if (found.id !== id)
    throw new BackupError(`${path} is not the base of this backup; give it with --base.`);
  await verifyFiles(path, found, progressLine('bytes of the base verified'));
  return found;
}
