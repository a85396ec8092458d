import { setTimeout as sleep } from 'node:timers/promises';
import { HeddleError } from '@app/errors';
import { millis, type Millis } from '@app/wire';
import { PartSettings } from './part-settings.js';
import { bind, raw, sql, type Sql } from './sql.js';
import type { Store } from './store.js';
import { onEveryNode, storedTable, systemTable } from './topology.js';

const GIB = 1024 ** 3;
const POLL_MS = 250;
const QUIET_MS = 1000;
/** Reading them takes less time than an erasure waits for the removal. */
const MAX_CHECKED_BYTES = 16 * GIB;
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
  /** Why they were not removed at once. */
  readonly reason?: string;
}

type Progress = (done: number, total: number) => void;

interface Limits {
  readonly waitMs: number;
  readonly progress?: Progress;
  /** Aborts when another process may rewrite the same tables. */
  readonly signal?: AbortSignal;
}

interface Replacement {
  readonly table: string;
  readonly name: string;
  readonly bytes: number | string;
}

/** Tables may still have the settings of a removal, with which they are not merged. */
export class PartSettingsError extends HeddleError {
  readonly code = 'storage_unavailable';

  constructor(tables: readonly string[], cause: unknown) {
    super(
      `ClickHouse did not give ${tables.join(', ')} their own settings again (${String((cause as Error).message)}); a worker does it within minutes`,
      { cause },
    );
  }
}

/**
 * Removes parts that mutations and merges have replaced. A server keeps them for eight minutes and uses them again when it
 * starts and cannot read what replaced them: a merge on a full disk may be committed with empty files. So they are removed
 * only when what replaced them was checked, and while no merge can replace more. The thread that removes them runs every
 * 30 to 300 seconds, unless `cleanup_delay_period` is lower. On a cluster all of this is done on every node.
 */
export class OldParts {
  private readonly settings: PartSettings;

  constructor(private readonly store: Store) {
    this.settings = new PartSettings(store);
  }

  /**
   * Resolves with the parts that are left, detached ones included, and why. A query that reads a part keeps it. The caller
   * has the lock of rewrites: a mutation would replace parts as well.
   */
  async remove(tables: readonly string[], limits: Limits): Promise<OldPartsOfTable[]> {
    const before = millis((await this.store.now()) + CLOCKS_DIFFER_BY_MS);
    const stored = this.stored(tables);
    const found = await this.outdated(stored, before);
    const affected = [...new Set(found.map(({ table }) => table))];
    const left = affected.length === 0 ? [] : await this.removeOutdated(affected, before, limits);
    return [...left, ...(await this.detached(stored))];
  }

  /** All parts of the tables that ClickHouse will remove by itself, or never. */
  async left(tables: readonly string[], reason: string): Promise<OldPartsOfTable[]> {
    const stored = this.stored(tables);
    const now = millis((await this.store.now()) + CLOCKS_DIFFER_BY_MS);
    const outdated = await this.outdated(stored, now);
    return [...outdated.map((parts) => ({ ...parts, reason })), ...(await this.detached(stored))];
  }

  /** Tables that have the settings of a removal: one that runs, or one that was killed. */
  changedTables(): Promise<readonly string[]> {
    return this.settings.changedTables();
  }

  /**
   * Gives changed tables, and those that are named, their own settings again, and resolves with all of them. The caller has the lock of
   * rewrites.
   */
  async resetSettings(named: readonly string[] = []): Promise<readonly string[]> {
    const tables = [...new Set([...(await this.changedTables()), ...this.stored(named)])];
    await this.settings.reset(tables);
    return tables;
  }

  private async removeOutdated(
    tables: readonly string[],
    before: Millis,
    limits: Limits,
  ): Promise<OldPartsOfTable[]> {
    let reason: string | undefined;
    try {
      reason = (await this.reasonOfFullDisk()) ?? (await this.removeAtOnce(tables, before, limits));
    } catch (error) {
      // Without the privileges for these statements, ClickHouse removes the parts later.
      if (!(error instanceof HeddleError) || error instanceof PartSettingsError) throw error;
      reason = error.message;
    }
    const left = await this.outdated(tables, before);
    return left.map((parts) => ({ ...parts, ...(reason !== undefined && { reason }) }));
  }

  /** Changes no table before `reasonOfFullDisk`: on a full disk that could lose its definition. */
  private async removeAtOnce(
    tables: readonly string[],
    before: Millis,
    limits: Limits,
  ): Promise<string | undefined> {
    try {
      return await this.removeChecked(tables, before, limits);
    } finally {
      await this.settings.reset(tables).catch((error: unknown) => {
        throw new PartSettingsError(tables, error);
      });
    }
  }

  /** Resolves with the reason why the parts have to stay, or with undefined when they are gone or the time is over. */
  private async removeChecked(
    tables: readonly string[],
    before: Millis,
    { waitMs, progress = () => undefined, signal }: Limits,
  ): Promise<string | undefined> {
    const deadline = Date.now() + waitMs;
    await this.settings.stopMerges(tables);
    if (!(await this.mergesEnded(tables, deadline))) return 'a merge of the table is running';
    // A SYSTEM statement cannot return what each node made of it; it fails when a node does.
    await this.store.run(sql`SYSTEM SYNC FILE CACHE${this.everyNode}`);
    const unchecked =
      (await this.reasonOfFullDisk()) ?? (await this.uncheckedReplacement(tables, deadline));
    if (unchecked !== undefined) return unchecked;
    signal?.throwIfAborted();
    await this.settings.removeAtOnce(tables);
    await this.outdatedRemoved(tables, before, deadline, progress, signal);
    return undefined;
  }

  /** A node may have had no space for a part, since its start and lately. */
  private async reasonOfFullDisk(): Promise<string | undefined> {
    const [full] = await this.store.rows<{ node: string }>(
      sql`SELECT hostName() AS node FROM ${this.system('errors')}
WHERE name IN ('NOT_ENOUGH_SPACE', 'CANNOT_WRITE_TO_FILE_DESCRIPTOR', 'CANNOT_FSYNC')
  AND last_error_time > now() - toIntervalSecond(${LIFETIME}) LIMIT 1`,
    );
    return (
      full &&
      `the disk of ClickHouse (${full.node}) was full in the last minutes, and a start may need them`
    );
  }

  /** A merge that was chosen before the settings changed is in the list of merges only when it begins. */
  private async mergesEnded(tables: readonly string[], deadline: number): Promise<boolean> {
    let quietSince = Date.now();
    while (Date.now() - quietSince < QUIET_MS) {
      const [running] = await this.store.rows(this.runningMerges(tables));
      if (running !== undefined) quietSince = Date.now();
      if (Date.now() > deadline) return false;
      await sleep(POLL_MS);
    }
    return true;
  }

  /** Replicas also execute merges that were chosen before, whatever their size. */
  private runningMerges(tables: readonly string[]): Sql {
    const ofTables = sql`database = currentDatabase() AND table IN ${bind('Array(String)', tables)}`;
    const running = sql`SELECT 1 FROM ${this.system('merges')} WHERE ${ofTables} LIMIT 1`;
    const { topology } = this.store;
    if (topology.kind === 'single' || !topology.replicated) return running;
    return sql`${running} UNION ALL SELECT 1 FROM ${this.system('replication_queue')}
WHERE ${ofTables} AND type IN ('MERGE_PARTS', 'MUTATE_PART') LIMIT 1`;
  }

  /**
   * Reads every file of the parts that have replaced others, and resolves with the first that cannot be trusted. A cluster
   * has no statement for it: there `reasonOfFullDisk` has to do. With replicas, one gets a broken part from another.
   */
  private async uncheckedReplacement(
    tables: readonly string[],
    deadline: number,
  ): Promise<string | undefined> {
    if (this.store.topology.kind === 'cluster') return undefined;
    const replacements = await this.replacements(tables);
    const bytes = replacements.reduce((sum, part) => sum + Number(part.bytes), 0);
    if (bytes > MAX_CHECKED_BYTES)
      return `the parts that replaced them have ${Math.ceil(bytes / GIB)} GiB, and only ${MAX_CHECKED_BYTES / GIB} GiB are checked`;
    for (const { table, name } of replacements) {
      if (Date.now() > deadline) return 'checking the parts that replaced them takes longer';
      const [result] = await this.store.rows<{ is_passed: number; message: string }>(
        sql`CHECK TABLE ${raw(table)} PART ${raw(`'${name.replaceAll(/[^\w-]/g, '')}'`)}`,
        { check_query_single_value_result: 0 },
      );
      if (result?.is_passed !== 1)
        return `ClickHouse cannot read ${name} of ${table}, which replaced them; restart it soon, as docs/operations/disk-full.md says`;
    }
    return undefined;
  }

  /** The parts that were made from parts that are still on the disk. */
  private replacements(tables: readonly string[]): Promise<Replacement[]> {
    const parts = (isActive: boolean) =>
      sql`SELECT table, partition_id, name, min_block_number, max_block_number, bytes_on_disk FROM system.parts
  WHERE database = currentDatabase() AND table IN ${bind('Array(String)', tables)} AND active = ${bind('Bool', isActive)}`;
    return this.store.rows(
      sql`SELECT DISTINCT table, name, bytes_on_disk AS bytes
FROM (${parts(true)}) AS new
INNER JOIN (${parts(false)}) AS old USING (table, partition_id)
WHERE old.min_block_number >= new.min_block_number AND old.max_block_number <= new.max_block_number
ORDER BY table, name`,
    );
  }

  /** Waits until the parts are gone. A merge in the meantime may add parts, of which the data is not erased. */
  private async outdatedRemoved(
    tables: readonly string[],
    before: Millis,
    deadline: number,
    progress: Progress,
    signal?: AbortSignal,
  ): Promise<void> {
    let all = 0;
    for (;;) {
      const count = total(await this.outdated(tables, before));
      all = Math.max(all, count);
      progress(all - count, all);
      if (count === 0 || Date.now() > deadline) return;
      signal?.throwIfAborted();
      await sleep(POLL_MS);
    }
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

  private stored(tables: readonly string[]): string[] {
    return tables.map((table) => storedTable(table, this.store.topology));
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
