import { join } from 'node:path';
import {
  connectForMigrations,
  EVERYWHERE_TABLES,
  migrate,
  onEveryNode,
  raw,
  sql,
  storedTable,
  TableBackups,
  topologyOf,
  type ShardNodes,
  type Store,
} from '@app/clickhouse';
import type { Config } from '@app/config';
import { progressLine } from '../context.js';
import { onEachShard } from './each-shard.js';
import { copyPath, TABLE_GROUPS } from './table-groups.js';
import type { VerifiedBackup } from './verified-backup.js';

interface CopiedGroup {
  readonly name: string;
  readonly path: string;
  readonly basePath: string | undefined;
  readonly tables: readonly string[];
}

/** Tables that do not exist are created. On a cluster they belong to replicas and distributed tables, so migrations create them. */
export async function restoreTables(
  { clickhouse }: Config,
  store: Store,
  target: ShardNodes,
  backup: VerifiedBackup,
  signal: AbortSignal,
): Promise<void> {
  const restore = new TablesRestore(store, target, backup, signal);
  if (target.weights === null && backup.manifest.shards === null) return restore.createAll();
  const client = connectForMigrations(clickhouse);
  try {
    await migrate(client, topologyOf(clickhouse), () => undefined, backup.manifest.migration);
  } finally {
    await client.close();
  }
  await restore.fillAll();
}

class TablesRestore {
  private readonly saved: ReadonlySet<string>;

  constructor(
    private readonly store: Store,
    private readonly target: ShardNodes,
    private readonly backup: VerifiedBackup,
    private readonly signal: AbortSignal,
  ) {
    this.saved = new Set(backup.manifest.tables.map(({ name }) => name));
  }

  /** From a single server to a single server. */
  async createAll(): Promise<void> {
    for (const group of this.groupsOf(0)) {
      const [node] = this.target.nodes;
      const tables = group.tables.map((table) => this.named(table, table));
      const progress = progressLine(`bytes of ${group.name}`);
      await new TableBackups(node!).restore(tables, group, progress, this.signal);
    }
  }

  /** To or from a cluster. Every table exists, and has no rows except those of migrations. */
  async fillAll(): Promise<void> {
    await this.truncateAll();
    await onEachShard(this.nodesOfWholeTables(), this.signal, (node, _, until) =>
      this.fill(node, this.groupsOf(0, isWhole), until),
    );
    const { nodes, weights } = this.target;
    const { shards } = this.backup.manifest;
    if (String(weights) === String(shards))
      await onEachShard(nodes, this.signal, (node, shard, until) =>
        this.fill(node, this.groupsOf(shard, isSharded), until),
      );
    else
      for (const shard of (shards ?? [1]).keys())
        for (const group of this.groupsOf(shard, isSharded))
          await (weights === null
            ? this.fill(nodes[0]!, [group], this.signal)
            : this.distribute(nodes[0]!, group));
    await this.replicated();
  }

  private async truncateAll(): Promise<void> {
    const every = raw(onEveryNode(this.store.topology));
    for (const table of this.saved)
      await this.store.runDdl(sql`TRUNCATE TABLE ${raw(this.stored(table))}${every}`);
  }

  /** Replicas copy the rows to each other. */
  private nodesOfWholeTables(): readonly Store[] {
    const { topology } = this.store;
    const isCopied = topology.kind === 'cluster' && topology.replicated;
    return isCopied ? this.target.nodes.slice(0, 1) : this.target.nodes;
  }

  /** The rows of a node of the backup become those of a node. */
  private async fill(
    node: Store,
    groups: readonly CopiedGroup[],
    signal: AbortSignal,
  ): Promise<void> {
    for (const group of groups) {
      const tables = group.tables.map((table) => this.named(table, this.stored(table)));
      const progress = progressLine(`bytes of ${group.name}`);
      await new TableBackups(node).restoreRows(tables, group, progress, signal);
    }
  }

  /** With another number of shards, rows belong to other shards: they are inserted again. */
  private async distribute(node: Store, group: CopiedGroup): Promise<void> {
    for (const table of group.tables) {
      const copy = `${table}_restored`;
      await node.run(sql`CREATE TABLE ${raw(copy)} AS ${raw(this.stored(table))}`);
      try {
        const tables = [this.named(table, copy)];
        const progress = progressLine(`bytes of ${table}`);
        await new TableBackups(node).restoreRows(tables, group, progress, this.signal);
        await node.run(sql`INSERT INTO ${raw(table)} SELECT * FROM ${raw(copy)}`, {
          max_partitions_per_insert_block: '0',
        });
      } finally {
        await node.run(sql`DROP TABLE ${raw(copy)} SYNC`);
      }
    }
  }

  private async replicated(): Promise<void> {
    const { topology } = this.store;
    if (topology.kind === 'single' || !topology.replicated) return;
    for (const table of this.saved)
      await this.store.run(
        sql`SYSTEM SYNC REPLICA${raw(onEveryNode(topology))} ${raw(this.stored(table))} LIGHTWEIGHT`,
      );
  }

  /** The copies of one shard of the backup, without those of which nothing is wanted. */
  private groupsOf(
    shard: number,
    isWanted: (table: string) => boolean = () => true,
  ): CopiedGroup[] {
    const { tablesPath, basePath, manifest } = this.backup;
    return TABLE_GROUPS.map(({ name, tables }) => {
      const path = copyPath(name, manifest.shards, shard);
      return {
        name: manifest.shards === null ? name : `${name} of shard ${shard + 1}`,
        path: join(tablesPath, path),
        basePath: basePath && join(basePath, path),
        tables: (tables as readonly string[]).filter(
          (table) => this.saved.has(table) && isWanted(table),
        ),
      };
    }).filter(({ tables }) => tables.length > 0);
  }

  private named(table: string, as: string) {
    const { database, shards } = this.backup.manifest;
    return { database, table: shards === null ? table : `${table}_local`, as };
  }

  private readonly stored = (table: string): string => storedTable(table, this.store.topology);
}

const isWhole = (table: string): boolean => EVERYWHERE_TABLES.includes(table);
const isSharded = (table: string): boolean => !isWhole(table);
