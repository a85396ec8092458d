import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { PendingChunks, type AuditTrail, type SavedChunk } from '@app/queue';
import type { Redis } from '@app/redis';
import { BackupError } from './backup-error.js';
import type { BackupKey } from './backup-key.js';
import { COPIED_HASHES, COPIED_SETS, COPIED_STRINGS } from './redis-keys.js';
import { REDIS_FILE } from './table-groups.js';

/** More entries than a worker leaves in Redis for a day. */
const AUDIT_MAX = 1_000_000;

/** One line of the file. */
export type RedisEntry =
  | { readonly hash: string; readonly fields: Readonly<Record<string, string>> }
  | {
      readonly set: string;
      readonly members: readonly string[];
      /** Milliseconds from the backup on; -1 for never. */
      readonly expiresIn: number;
    }
  | { readonly string: string; readonly value: string }
  | { readonly audit: Awaited<ReturnType<AuditTrail['oldest']>>['entries'] }
  | { readonly chunk: Omit<SavedChunk, 'payload'> & { readonly payload: string } };

/**
 * Writes what Redis alone has: the facts that are not in ClickHouse yet, audit entries, the hashes of API keys, and marks of work
 * that is due. The copy is not of one time, and need not be: ClickHouse is copied afterwards. Resolves to the number of chunks.
 */
export async function writeRedisSnapshot(
  redis: Redis,
  trail: AuditTrail,
  directory: string,
  key: BackupKey | undefined,
  signal: AbortSignal,
): Promise<number> {
  let chunks = 0;
  const lines = async function* () {
    for await (const entry of entriesOf(redis, trail)) {
      if ('chunk' in entry) chunks++;
      yield `${JSON.stringify(entry)}\n`;
    }
  };
  await pipeline(
    Readable.from(lines()),
    createGzip(),
    key === undefined ? new PassThrough() : key.encryption(REDIS_FILE),
    createWriteStream(join(directory, REDIS_FILE), { mode: 0o600, flags: 'wx', flush: true }),
    { signal },
  );
  return chunks;
}

async function* entriesOf(redis: Redis, trail: AuditTrail): AsyncGenerator<RedisEntry> {
  for (const hash of COPIED_HASHES) yield { hash, fields: await redis.hgetall(hash) };
  for (const set of COPIED_SETS) {
    const members = await redis.zrange(set, 0, '-1', 'WITHSCORES');
    yield { set, members, expiresIn: await redis.pttl(set) };
  }
  for (const string of COPIED_STRINGS) {
    const value = await redis.get(string);
    if (value !== null) yield { string, value };
  }
  const { entries } = await trail.oldest(AUDIT_MAX);
  yield { audit: entries };
  for await (const { payload, ...rest } of new PendingChunks(redis).all())
    yield { chunk: { ...rest, payload: payload.toString('base64') } };
}

/** Reads the whole file first, because only its end proves that an encrypted one was not changed. */
export async function* readRedisSnapshot(
  directory: string,
  key: BackupKey | undefined,
): AsyncGenerator<RedisEntry> {
  const file = join(directory, REDIS_FILE);
  try {
    for await (const _ of plain(file, key)) continue;
  } catch (error) {
    throw new BackupError(
      `${file} cannot be decoded (${(error as Error).message}); use another backup.`,
      { cause: error },
    );
  }
  const lines = createInterface({ input: plain(file, key), crlfDelay: Infinity });
  for await (const line of lines) yield JSON.parse(line) as RedisEntry;
}

function plain(file: string, key: BackupKey | undefined): Readable {
  const unzipped = createGunzip();
  const source = createReadStream(file);
  const streams =
    key === undefined ? [source, unzipped] : [source, key.decryption(REDIS_FILE), unzipped];
  pipeline(streams).catch((error: Error) => unzipped.destroy(error));
  return unzipped;
}
