import { setTimeout as sleep } from 'node:timers/promises';
import { HeddleError } from '@app/errors';
import type { Millis } from '@app/wire';
import { bind, raw, sql, type Sql } from './sql.js';
import type { Store } from './store.js';
import { storedTable, systemTable } from './topology.js';

const POLL_MS = 250;
/** The longest time in seconds until ClickHouse removes a part by itself. */
const LIFETIME = raw(
  `(SELECT sum(toUInt32(value)) FROM system.merge_tree_settings
  WHERE name IN ('old_parts_lifetime', 'max_cleanup_delay_period', 'cleanup_delay_period_random_add'))`,
);

/** Parts of a table that were replaced and are still on the disk of a node. */
export interface OldPartsOfTable {
  readonly host: string;
  readonly table: string;
  readonly parts: number;
  /** When ClickHouse removes the last of them, as an ISO timestamp; undefined for detached parts, which it never removes. */
  readonly removedBy: string | undefined;
}

type Progress = (done: number, total: number) => void;

/**
 * Removes parts that mutations and merges have replaced. A server keeps them for eight minutes, because it does not fsync what
 * replaced them; so first everything is written to disk, and merges are fsynced until the old parts are gone. The thread that
 * removes them runs every 30 to 300 seconds, unless `cleanup_delay_period` is lower.
 */
export class OldParts {
  constructor(private readonly store: Store) {}

  /** Resolves with the parts that are left, detached ones included. A query that reads a part keeps it. */
  async remove(
    tables: readonly string[],
    waitMs: number,
    progress: Progress = () => undefined,
  ): Promise<OldPartsOfTable[]> {
    const before = await this.store.now();
    const stored = tables.map((table) => storedTable(table, this.store.topology));
    try {
      // On a cluster these statements would take seconds for each table; its nodes remove the parts by themselves.
      if (this.store.topology.kind === 'single')
        await this.removeOutdated(stored, before, waitMs, progress);
    } catch (error) {
      // Without the privileges for these statements, ClickHouse removes the parts later.
      if (!(error instanceof HeddleError)) throw error;
    }
    return [...(await this.outdated(stored, before)), ...(await this.detached(stored))];
  }

  private async removeOutdated(
    tables: readonly string[],
    before: Millis,
    waitMs: number,
    progress: Progress,
  ): Promise<void> {
    const found = await this.outdated(tables, before);
    const affected = [...new Set(found.map(({ table }) => table))];
    if (affected.length === 0) return;
    try {
      await this.alter(affected, 'MODIFY SETTING min_rows_to_fsync_after_merge = 1');
      await this.store.run(sql`SYSTEM SYNC FILE CACHE`);
      await this.alter(affected, 'MODIFY SETTING old_parts_lifetime = 1');
      await this.outdatedRemoved(affected, before, total(found), waitMs, progress);
    } finally {
      await this.alter(affected, 'RESET SETTING old_parts_lifetime, min_rows_to_fsync_after_merge');
    }
  }

  private async outdatedRemoved(
    tables: readonly string[],
    before: Millis,
    all: number,
    waitMs: number,
    progress: Progress,
  ): Promise<void> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const left = total(await this.outdated(tables, before));
      progress(all - left, all);
      if (left === 0 || Date.now() > deadline) return;
      await sleep(POLL_MS);
    }
  }

  private async alter(tables: readonly string[], change: string): Promise<void> {
    for (const table of tables) await this.store.run(sql`ALTER TABLE ${raw(`${table} ${change}`)}`);
  }

  private outdated(tables: readonly string[], before: Millis): Promise<OldPartsOfTable[]> {
    const removedBy = sql`formatDateTime(max(remove_time) + toIntervalSecond(${LIFETIME}), '%FT%TZ', 'UTC')`;
    return this.store.rows(
      sql`SELECT hostName() AS host, table, toUInt32(count()) AS parts, ${removedBy} AS removedBy
FROM ${this.system('parts')}
WHERE database = currentDatabase() AND table IN ${bind('Array(String)', tables)} AND NOT active
  AND toUnixTimestamp(remove_time) * 1000 <= ${bind('UInt64', before)}
GROUP BY host, table ORDER BY table, host`,
    );
  }

  private async detached(tables: readonly string[]): Promise<OldPartsOfTable[]> {
    const rows = await this.store.rows<Omit<OldPartsOfTable, 'removedBy'>>(
      sql`SELECT hostName() AS host, table, toUInt32(count()) AS parts FROM ${this.system('detached_parts')}
WHERE database = currentDatabase() AND table IN ${bind('Array(String)', tables)}
GROUP BY host, table ORDER BY table, host`,
    );
    return rows.map((row) => ({ ...row, removedBy: undefined }));
  }

  private system(table: string): Sql {
    return raw(systemTable(table, this.store.topology));
  }
}

const total = (parts: readonly OldPartsOfTable[]): number =>
  parts.reduce((sum, { parts: count }) => sum + count, 0);
