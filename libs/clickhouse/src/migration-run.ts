import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { executeDdl } from './ddl.js';
import { alteredTable, forPartition, tableOfPartitions } from './partition-steps.js';
import { renderMigration } from './render-migration.js';
import { storedTable, systemTable, type Topology } from './topology.js';

const POLL_MS = 500;
/** Merging one large part takes minutes. Without any finished part in this time something else is wrong. */
const NO_PART_WITHIN_MS = 60 * 60_000;

/** How far a migration has come. */
export interface MigrationProgress {
  readonly migration: string;
  /** The statement in progress, counted from 1. */
  readonly statement: number;
  readonly statements: number;
  /** Only for a statement that runs partition by partition. */
  readonly partition?: { readonly id: string; readonly nth: number; readonly of: number };
  /** Parts that ClickHouse still has to rewrite. */
  readonly partsLeft?: number;
}

export type ReportProgress = (progress: MigrationProgress) => void;

/** `0008_few_values: statement 3 of 3, partition 202611 (2 of 12), 5 parts left` */
export function progressLine(progress: MigrationProgress): string {
  const { migration, statement, statements, partition, partsLeft } = progress;
  return [
    `${migration}: statement ${statement} of ${statements}`,
    ...(partition ? [`partition ${partition.id} (${partition.nth} of ${partition.of})`] : []),
    ...(partsLeft ? [`${partsLeft} parts left`] : []),
  ].join(', ');
}

/** Finished partitions of statements that run partition by partition. */
export const MIGRATION_STEPS_TABLE = `
CREATE TABLE IF NOT EXISTS schema_migration_steps
(
    migration    String,
    statement    UInt16,
    partition_id String,
    finished_at  DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(finished_at)
ORDER BY (migration, statement, partition_id);`;

/** Executes the statements of one migration file. Every statement can be repeated, so a second run continues the first. */
export class MigrationRun {
  constructor(
    private readonly client: ClickHouseClient,
    private readonly topology: Topology,
    private readonly report: ReportProgress,
  ) {}

  async execute(migration: string, text: string): Promise<void> {
    const statements = renderMigration(text, this.topology);
    for (const [index, query] of statements.entries()) {
      const progress = { migration, statement: index + 1, statements: statements.length };
      this.report(progress);
      const table = tableOfPartitions(query);
      if (table === undefined) await this.statement(query, progress);
      else await this.byPartition(query, table, progress);
    }
  }

  private async byPartition(query: string, table: string, progress: MigrationProgress) {
    const ids = await this.partitions(table);
    const finished = await this.finishedPartitions(progress);
    for (const [index, id] of ids.entries()) {
      if (finished.has(id)) continue;
      const step = { ...progress, partition: { id, nth: index + 1, of: ids.length } };
      this.report(step);
      await this.statement(forPartition(query, id), step);
      await this.recordPartition(step, id);
    }
  }

  private async statement(query: string, progress: MigrationProgress): Promise<void> {
    const table = alteredTable(query);
    if (table === undefined) {
      await this.run(query);
      return;
    }
    // ClickHouse changes the table at once and rewrites its parts in the background.
    await this.reportWhile(this.run(query), table, progress);
    await this.partsRewritten(table, progress);
  }

  private async run(query: string): Promise<void> {
    const topology: Topology = / ON CLUSTER /.test(query) ? this.topology : { kind: 'single' };
    await executeDdl(this.client, topology, { query });
  }

  private async reportWhile(work: Promise<void>, table: string, progress: MigrationProgress) {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    const watch = async () => {
      for (;;) {
        await Promise.race([sleep(POLL_MS), done.catch(() => undefined)]);
        if (isDone) return;
        this.reportParts((await this.mutations(table)).partsLeft, progress);
      }
    };
    await Promise.all([done, watch()]);
  }

  /** Waits while ClickHouse rewrites parts. Rejects when it cannot, or when it finishes no part for an hour. */
  private async partsRewritten(table: string, progress: MigrationProgress): Promise<void> {
    let least = Infinity;
    let since = performance.now();
    for (;;) {
      const { partsLeft, unfinished, failure } = await this.mutations(table);
      if (failure !== '') throw new Error(`ClickHouse cannot rewrite ${table}: ${failure}`);
      if (unfinished === 0) return;
      if (partsLeft < least) [least, since] = [partsLeft, performance.now()];
      else if (performance.now() - since > NO_PART_WITHIN_MS)
        throw new Error(`ClickHouse has rewritten no part of ${table} for an hour`);
      this.reportParts(partsLeft, progress);
      await sleep(POLL_MS);
    }
  }

  private reportParts(partsLeft: number, progress: MigrationProgress): void {
    if (partsLeft > 0) this.report({ ...progress, partsLeft });
  }

  private async mutations(table: string) {
    const [row] = await this.rows<{ parts: string; unfinished: string; failure: string }>(
      `SELECT sum(parts_to_do) AS parts, count() AS unfinished, max(latest_fail_reason) AS failure
       FROM ${systemTable('mutations', this.topology)}
       WHERE database = currentDatabase() AND table = {table: String} AND NOT is_done`,
      { table },
    );
    const { parts, unfinished, failure } = row!;
    return { partsLeft: Number(parts), unfinished: Number(unfinished), failure };
  }

  private async partitions(table: string): Promise<string[]> {
    const stored = table.endsWith('_local') ? table : storedTable(table, this.topology);
    const rows = await this.rows<{ id: string }>(
      `SELECT DISTINCT partition_id AS id FROM ${systemTable('parts', this.topology)}
       WHERE database = currentDatabase() AND table = {table: String} AND active ORDER BY id`,
      { table: stored },
    );
    return rows.map(({ id }) => id);
  }

  private async finishedPartitions(progress: MigrationProgress): Promise<Set<string>> {
    const { migration, statement } = progress;
    const rows = await this.rows<{ id: string }>(
      `SELECT partition_id AS id FROM schema_migration_steps
       WHERE migration = {migration: String} AND statement = {statement: UInt16}`,
      { migration, statement },
    );
    return new Set(rows.map(({ id }) => id));
  }

  private async recordPartition(progress: MigrationProgress, partition_id: string): Promise<void> {
    const { migration, statement } = progress;
    await this.client.insert({
      table: 'schema_migration_steps',
      columns: ['migration', 'statement', 'partition_id'],
      values: [{ migration, statement, partition_id }],
      format: 'JSONEachRow',
    });
  }

  private async rows<Row>(query: string, query_params: Record<string, unknown>): Promise<Row[]> {
    const result = await this.client.query({ query, query_params, format: 'JSONEachRow' });
    return result.json<Row>();
  }
}
