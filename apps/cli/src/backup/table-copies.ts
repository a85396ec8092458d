import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  EVERYWHERE_TABLES,
  raw,
  sql,
  storedTable,
  TableBackups,
  type ShardNodes,
  type Store,
} from '@app/clickhouse';
import { progressLine } from '../context.js';
import { BackupError } from './backup-error.js';
import { encryptFiles } from './backup-files.js';
import type { BackupPlan } from './backup-plan.js';
import { onEachShard } from './each-shard.js';
import { copyPath, groupPath, TABLE_GROUPS } from './table-groups.js';

/**
 * Copies every group of tables from all shards before the next group: what a copied row depends on may be on another shard. Tables
 * that every node has whole are copied from the first.
 */
export async function copyTables(
  shards: ShardNodes,
  existing: ReadonlySet<string>,
  plan: BackupPlan,
  signal: AbortSignal,
): Promise<void> {
  const { directory, base, key } = plan;
  requireSameShards(shards, base?.shards);
  for (const { name, tables } of TABLE_GROUPS) {
    const copied = (tables as readonly string[]).filter((table) => existing.has(table));
    if (shards.weights !== null) await mkdir(join(directory, groupPath(name)), { mode: 0o700 });
    await onEachShard(shards.nodes, signal, async (node, shard, until) => {
      const own =
        shard === 0 ? copied : copied.filter((table) => !EVERYWHERE_TABLES.includes(table));
      if (own.length === 0) return;
      const path = copyPath(name, shards.weights, shard);
      const to = { path: join(directory, path), basePath: base && join(base.path, path) };
      const stored = own.map((table) => storedTable(table, node.topology));
      await upToDate(node, stored);
      const what = shards.weights === null ? name : `${name} on shard ${shard + 1}`;
      await new TableBackups(node).backup(stored, to, progressLine(`bytes of ${what}`), until);
      await requireHere(to.path);
    });
    if (key !== undefined) await encryptFiles(directory, groupPath(name), key, signal);
  }
}

/** The base of another number of shards has other rows in each directory, so nothing would be saved. */
function requireSameShards(shards: ShardNodes, base: readonly number[] | null | undefined): void {
  if (base === undefined || String(base) === String(shards.weights)) return;
  throw new BackupError('The base is of a deployment with other shards; make a full backup.');
}

/** A replica may not have fetched yet what another one has acknowledged. */
async function upToDate(node: Store, stored: readonly string[]): Promise<void> {
  const { topology } = node;
  if (topology.kind === 'single' || !topology.replicated) return;
  for (const table of stored) await node.run(sql`SYSTEM SYNC REPLICA ${raw(table)} LIGHTWEIGHT`);
}

/** A ClickHouse on another machine writes on its own disk. */
async function requireHere(path: string): Promise<void> {
  await access(join(path, '.backup')).catch((error: Error) => {
    throw new BackupError(
      `ClickHouse has written ${path}, but it cannot be read here (${error.message}); use a directory that both see under the same path.`,
    );
  });
}
