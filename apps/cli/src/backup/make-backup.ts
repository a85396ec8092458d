import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { migrationStatus, type ShardNodes, type Store } from '@app/clickhouse';
import { version, type Config } from '@app/config';
import type { AuditTrail } from '@app/queue';
import type { Redis } from '@app/redis';
import { BackupError } from './backup-error.js';
import type { BackupPlan } from './backup-plan.js';
import { savedFiles } from './backup-files.js';
import { writeManifest, type Manifest } from './manifest.js';
import { writeRedisSnapshot } from './redis-snapshot.js';
import { savedTables, tableChecksums } from './table-checksums.js';
import { copyTables } from './table-copies.js';
import { TABLES_DIRECTORY } from './table-groups.js';

interface Stores {
  readonly store: Store;
  readonly shards: ShardNodes;
  readonly redis: Redis;
  readonly trail: AuditTrail;
}

/**
 * Copies Redis first and ClickHouse afterwards. A fact leaves Redis when ClickHouse has stored it, so a fact that the copy of Redis
 * does not have is in the copy of ClickHouse. The manifest is written last.
 */
export async function makeBackup(
  { store, shards, redis, trail }: Stores,
  plan: BackupPlan,
  config: Config,
  signal: AbortSignal,
): Promise<Manifest> {
  const { directory, base, key } = plan;
  const migration = await requireMigrated(store);
  const before = await tableChecksums(store);
  const beganAt = await store.now();
  const chunks = await writeRedisSnapshot(redis, trail, directory, key, signal);
  await mkdir(join(directory, TABLES_DIRECTORY), { mode: 0o700 });
  // Some tables exist in databases of an earlier version only.
  const existing = new Set(before.map(({ name }) => name));
  await copyTables(shards, existing, plan, signal);
  if ((await requireMigrated(store)) !== migration)
    throw new BackupError('A migration ran during the backup; run the command again.');
  const after = await tableChecksums(store);
  const manifest: Manifest = {
    format: 1,
    id: randomUUID(),
    began_at: new Date(beganAt).toISOString(),
    ended_at: new Date(await store.now()).toISOString(),
    versions: await versionsOf(store, redis),
    migration,
    database: await databaseOf(store),
    shards: shards.weights,
    base: base ? { id: base.id, path: base.name } : null,
    key_id: key?.id ?? null,
    files_bucket: config.ingest.files.bucket || null,
    pending_chunks: chunks,
    tables: savedTables(before, after),
    files: await savedFiles(directory),
  };
  signal.throwIfAborted();
  await writeManifest(directory, manifest);
  return manifest;
}

/** The number of the last migration. */
async function requireMigrated({ client }: Store): Promise<number> {
  const status = await migrationStatus(client);
  if (status.every(({ state }) => state === 'applied')) return status.at(-1)!.migration.number;
  throw new BackupError('The tables are not up to date; run `migrate` first.');
}

async function versionsOf(store: Store, redis: Redis): Promise<Manifest['versions']> {
  const result = await store.client.query({
    query: 'SELECT version() AS v',
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ v: string }>();
  const [, redisVersion = 'unknown'] =
    /(?:valkey|redis)_version:(\S+)/.exec(await redis.info('server')) ?? [];
  return { heddle: version(), clickhouse: row!.v, redis: redisVersion };
}

async function databaseOf(store: Store): Promise<string> {
  const query = 'SELECT currentDatabase() AS name';
  const result = await store.client.query({ query, format: 'JSONEachRow' });
  return (await result.json<{ name: string }>())[0]!.name;
}
