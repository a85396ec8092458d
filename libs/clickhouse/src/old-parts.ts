import { setTimeout as sleep } from 'node:timers/promises';
import { HeddleError } from '@app/errors';
import { millis, type Millis } from '@app/wire';
import { bind, raw, sql, type Sql } from './sql.js';
import type { Store } from './store.js';
import { onEveryNode, storedTable, systemTable } from './topology.js';

const POLL_MS = 250;
/** Times of parts are whole seconds, by the clock of the node that has them. */
const CLOCKS_DIFFER_BY_MS = 5000;
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
  /** Why they were not removed at once, if ClickHouse refused that. */
  readonly reason?: string;
}

type Progress = (done: number, total: number) => void;

/**
 * Removes parts that mutations and merges have replaced. A server keeps them for eight minutes, because it does not fsync what
 * replaced them; so first everything is written to disk, and merges are fsynced until the old parts are gone. The thread that
 * removes them runs every 30 to 300 seconds, unless `cleanup_delay_period` is lower. On a cluster all of this is done on
 * every node.
 */
export class OldParts {
  constructor(private readonly store: Store) {}

  /** Resolves with the parts that are left, detached ones included. A query that reads a part keeps it. */
  async remove(
    tables: readonly string[],
    waitMs: number,
    progress: Progress = () => undefined,
  ): Promise<OldPartsOfTable[]> {
    const before = millis((await this.store.now()) + CLOCKS_DIFFER_BY_MS);
    const stored = tables.map((table) => storedTable(table, this.store.topology));
    const found = await this.outdated(stored, before);
    const affected = [...new Set(found.map(({ table }) => table))];
    const left =
      affected.length === 0 ? [] : await this.removeOutdated(affected, before, waitMs, progress);
    return [...left, ...(await this.detached(stored))];
  }

  private async removeOutdated(
    tables: readonly string[],
    before: Millis,
    waitMs: number,
    progress: Progress,
  ): Promise<OldPartsOfTable[]> {
    try {
      return await this.removeAtOnce(tables, before, waitMs, progress);
    } catch (error) {
      // Without the privileges for these statements, ClickHouse removes the parts later.
      if (!(error instanceof HeddleError)) throw error;
      const left = await this.outdated(tables, before);
      return left.map((parts) => ({ ...parts, reason: error.message }));
    }
  }

  private async removeAtOnce(
    tables: readonly string[],
    before: Millis,
    waitMs: number,
    progress: Progress,
  ): Promise<OldPartsOfTable[]> {
    try {
      await this.alter(tables, 'MODIFY SETTING min_rows_to_fsync_after_merge = 1');
      // A SYSTEM statement cannot return what each node made of it; it fails when a node does.
      await this.store.run(sql`SYSTEM SYNC FILE CACHE${this.everyNode}`);
      await this.alter(tables, 'MODIFY SETTING old_parts_lifetime = 1');
      return await this.outdatedRemoved(tables, before, waitMs, progress);
    } finally {
      await this.alter(tables, 'RESET SETTING old_parts_lifetime, min_rows_to_fsync_after_merge');
    }
  }

  /** Resolves with the parts that are left. A merge in the meantime may add parts, of which the data is not erased. */
  private async outdatedRemoved(
    tables: readonly string[],
    before: Millis,
    waitMs: number,
    progress: Progress,
  ): Promise<OldPartsOfTable[]> {
    const deadline = Date.now() + waitMs;
    let all = 0;
    for (;;) {
      const left = await this.outdated(tables, before);
      const count = total(left);
      all = Math.max(all, count);
      progress(all - count, all);
      if (count === 0 || Date.now() > deadline) return left;
      await sleep(POLL_MS);
    }
  }

  private async alter(tables: readonly string[], change: string): Promise<void> {
    // A statement on a cluster takes up to a second, most of which is spent waiting for the nodes.
    await Promise.all(
      tables.map((table) =>
        this.store.runDdl(sql`ALTER TABLE ${raw(table)}${this.everyNode} ${raw(change)}`),
      ),
    );
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

  private get everyNode(): Sql {
    return raw(onEveryNode(this.store.topology));
  }

  private system(table: string): Sql {
    return raw(systemTable(table, this.store.topology));
  }
}

const total = (parts: readonly OldPartsOfTable[]): number =>
  parts.reduce((sum, { parts: count }) => sum + count, 0);
