import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError, type StorageConfig } from '@app/config';
import { hasCode } from './process-identity.js';

/** The addresses of the Redis and the ClickHouse that a standalone process uses, with their passwords. */
interface LocalStores {
  readonly redis: { readonly url: string; readonly dataDir: string };
  readonly clickhouse: {
    readonly url: string;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  readonly storage: StorageConfig;
}

const fileIn = (directory: string): string => join(directory, 'stores.json');

/** Leaves the addresses for the commands of an operator. Only the owner may read the file. Resolves to its removal. */
export async function writeLocalStores(
  directory: string,
  { redis, clickhouse, storage }: LocalStores,
): Promise<() => Promise<void>> {
  const file = fileIn(directory);
  const { url, user, password, database } = clickhouse;
  const stores: LocalStores = {
    redis: { url: redis.url, dataDir: redis.dataDir },
    clickhouse: { url, user, password, database },
    storage,
  };
  await rm(file, { force: true });
  await writeFile(file, `${JSON.stringify(stores)}\n`, { mode: 0o600, flag: 'wx' });
  return () => rm(file, { force: true });
}

/** Undefined when no standalone process runs in the directory, or has run until it was killed. */
export function readLocalStores(directory: string): LocalStores | undefined {
  const file = fileIn(directory);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LocalStores;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(
      `${file} cannot be read (${reason}); run the command as the user of the server, or set REDIS_URL and CLICKHOUSE_URL.`,
    );
  }
}
