import {
  connectForMigrations,
  connectStore,
  migrate,
  migrationStatus,
  ShardNodes,
  topologyOf,
  type Store,
} from '@app/clickhouse';
import type { Config } from '@app/config';
import { millis, type Millis } from '@app/wire';
import { LedgerReader, totalOf, type LedgerLine } from '../../../worker/src/commands.module.js';
import {
  LogCut,
  QueueDrain,
  RestoredState,
  RestoreModule,
} from '../../../worker/src/restore.module.js';
import { progressLine, withModule, withRedis } from '../context.js';
import { BackupError } from './backup-error.js';
import type { BackupKey } from './backup-key.js';
import type { VerifiedBackup } from './verified-backup.js';
import { restoreRedis } from './redis-restore.js';
import { readRedisSnapshot } from './redis-snapshot.js';
import { restoreTables } from './restore-tables.js';
import { compared, tableChecksums, type Comparison } from './table-checksums.js';

export interface RestorePlan extends VerifiedBackup {
  readonly key: BackupKey | undefined;
  readonly until: Millis | undefined;
  /** The addresses of one node of every shard; empty for those that the cluster itself names. */
  readonly nodes: readonly string[];
}

interface ComparedTable {
  readonly name: string;
  readonly rows: number;
  readonly result: Comparison;
}

export interface Restored {
  readonly tables: readonly ComparedTable[];
  readonly ledger: LedgerLine;
  /** Facts that were accepted after `until`. */
  readonly removedFacts: number;
}

/** Restores into an empty Redis and an empty ClickHouse, and leaves them with nothing pending. */
export async function restoreBackup(
  plan: RestorePlan,
  config: Config,
  signal: AbortSignal,
): Promise<Restored> {
  const store = connectStore(config.clickhouse, 'restore');
  try {
    await requireKnownMigration(store, plan);
    await restoreAllTables(store, plan, config, signal);
    const tables = await compareTables(store, plan);
    await updateTables(config);
    const entries = readRedisSnapshot(plan.directory, plan.key);
    await withRedis((redis) => restoreRedis(redis, store, entries), config);
    return { tables, ...(await settle(plan, config, signal)) };
  } finally {
    await store.close();
  }
}

async function requireKnownMigration({ client }: Store, { manifest }: RestorePlan): Promise<void> {
  const last = (await migrationStatus(client)).at(-1)!.migration.number;
  if (manifest.migration > last)
    throw new BackupError(
      `The backup is of Heddle ${manifest.versions.heddle}, which has migration ${manifest.migration}; ` +
        `this version knows ${last}. Restore with that version or a newer one.`,
    );
}

async function restoreAllTables(
  store: Store,
  plan: RestorePlan,
  config: Config,
  signal: AbortSignal,
): Promise<void> {
  const target = await ShardNodes.connect(config.clickhouse, plan.nodes);
  try {
    await restoreTables(config, store, target, plan, signal);
  } finally {
    await target.close();
  }
}

async function compareTables(store: Store, { manifest }: RestorePlan): Promise<ComparedTable[]> {
  const restored = new Map((await tableChecksums(store)).map((table) => [table.name, table]));
  return manifest.tables.map((saved) => {
    const found = restored.get(saved.name);
    return { name: saved.name, rows: found?.rows ?? 0, result: compared(saved, found) };
  });
}

/** A backup of an earlier version has older tables. */
async function updateTables({ clickhouse }: Config): Promise<void> {
  const client = connectForMigrations(clickhouse);
  try {
    await migrate(client, topologyOf(clickhouse));
  } finally {
    await client.close();
  }
}

/** Stores what was pending, brings tables and counts into agreement, and checks the ledger. */
function settle(
  { manifest, until }: RestorePlan,
  config: Config,
  signal: AbortSignal,
): Promise<Omit<Restored, 'tables'>> {
  const beganAt = millis(Date.parse(manifest.began_at));
  return withModule(
    (...args) => RestoreModule.register(...args),
    async (context) => {
      const state = context.get(RestoredState);
      await state.removeLateReceipts(beganAt);
      await context.get(QueueDrain).run(progressLine('pending chunks stored'), signal);
      let removedFacts = 0;
      if (until === undefined)
        await state.projectLateFacts(beganAt, progressLine('late calls folded'));
      else removedFacts = await context.get(LogCut).run(until, progressLine);
      await state.count();
      const ledger = totalOf(await context.get(LedgerReader, { strict: false }).read());
      return { ledger, removedFacts };
    },
    config,
  );
}
