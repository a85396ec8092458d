import { Injectable } from '@nestjs/common';
import { AlertStore } from '@app/alerts';
import { bind, requireSpace, sql, Store, type Sql } from '@app/clickhouse';
import type { NewFact } from '@app/events';
import { FactPublisher, Ledger, VersionNames } from '@app/queue';
import { micros, nowMillis } from '@app/wire';
import { REBUILT_TABLES } from '../repair/rebuilt-tables.js';
import { RewriteLock } from '../repair/rewrite-lock.js';
import { ShadowTables } from '../repair/shadow-tables.js';
import { RecordsRebuild } from '../repair/records-rebuild.js';
import { BucketFiles } from './bucket-files.js';
import { ErasedRows, type RowCounts } from './erased-rows.js';
import { ErasureError } from './erasure-error.js';
import {
  callsOf,
  otherDeletions,
  deletionsOfCalls,
  ERASED_ITEM,
  factsOfUser,
  ownContent,
  ownRows,
  type Deletion,
  type ErasureTarget,
} from './erasure-target.js';
import { LateRecords } from './late-records.js';
import { RecentErasures } from './recent-erasures.js';
import { storedWithin } from './stored-within.js';

const CALLS_PER_BATCH = 5000;

export interface Erased {
  readonly calls: number;
  /** Files in the bucket, if one is configured. */
  readonly files: number;
  readonly rows: Readonly<RowCounts>;
}

type Progress = (done: number, total: number) => void;

/** Erases a project, a trace or a user permanently: log, projections, files and dead letters. */
@Injectable()
export class Erasure {
  constructor(
    private readonly store: Store,
    private readonly publisher: FactPublisher,
    private readonly ledger: Ledger,
    private readonly names: VersionNames,
    private readonly alerts: AlertStore,
    private readonly records: RecordsRebuild,
    private readonly bucket: BucketFiles,
    private readonly erased: ErasedRows,
    private readonly recent: RecentErasures,
    private readonly late: LateRecords,
    private readonly lock: RewriteLock,
    private readonly shadows: ShadowTables,
  ) {}

  /** Projects that have data of a user. */
  async projectsOf(userId: string): Promise<string[]> {
    const user = bind('String', userId);
    const rows = await this.store.rows<{ project_id: string }>(sql`SELECT DISTINCT project_id FROM (
  SELECT project_id FROM call_events WHERE user_id = ${user}
  UNION ALL SELECT project_id FROM record_events WHERE user_id = ${user}
  UNION ALL SELECT project_id FROM dead_letters WHERE user_id = ${user}
  UNION ALL SELECT project_id FROM feedback WHERE user_id = ${user} OR creator = ${user}
) ORDER BY project_id`);
    const stored = rows.map(({ project_id }) => project_id);
    return [...new Set([...stored, ...(await this.alerts.projectsOf(userId))])].sort();
  }

  /**
   * Resolves when a read has verified that no data is left; rejects with ErasureError otherwise, and with
   * RewriteRunningError while a rebuild or an expiry runs.
   */
  erase(target: ErasureTarget, by: string, progress: Progress, waitMs = 60_000): Promise<Erased> {
    return this.lock.run(async (signal) => {
      // A rebuild that was killed may have left tables that still contain the data.
      await this.shadows.drop(REBUILT_TABLES);
      return this.eraseAll(target, by, progress, waitMs, signal);
    });
  }

  private async eraseAll(
    target: ErasureTarget,
    by: string,
    progress: Progress,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<Erased> {
    const { projectId } = target;
    // Half an erasure is not one.
    await requireSpace(this.store);
    if (target.kind !== 'trace') await this.bucket.requireConfigured(projectId);
    const lastInRedis = await this.recent.lastSeq(projectId);
    // Also the facts without a project, which may turn out to belong to it.
    for (const project of new Set([projectId, ''])) await this.waitUntilStored(project, waitMs);
    const seq = lastInRedis ?? (await this.lastSeq(projectId));
    const erasure = { target, seq, at: nowMillis() };
    await this.recent.add(erasure);
    const rows: RowCounts = {};
    const calls = await this.ids(callsOf(target));
    for (let at = 0; at < calls.length; at += CALLS_PER_BATCH) {
      const batch = calls.slice(at, at + CALLS_PER_BATCH);
      progress(at, calls.length);
      signal.throwIfAborted();
      await this.eraseCalls(projectId, batch, by, rows, waitMs);
    }
    progress(calls.length, calls.length);
    const digests = await this.filesOf(target);
    const others = [...otherDeletions(target), ...(await this.contentOf(target, digests))];
    // Before the rows that refer to them.
    const files = await this.bucket.remove(projectId, digests);
    for (const deletion of others) await this.erased.remove(projectId, deletion, rows);
    // For a user: tags and aliases, and uploaded rows that are in no table.
    await this.late.remove(erasure, rows, signal);
    // For a user: the names of objects that are gone, and digests that would count as published.
    if (target.kind !== 'trace') await this.names.forget(projectId);
    if (target.kind === 'project') await this.alerts.forget(projectId);
    if (target.kind === 'user') {
      await this.alerts.forgetUser(projectId, target.userId);
      await this.forgetUser(target);
    }
    await this.verify(target, others, digests);
    return { calls: calls.length, files, rows };
  }

  /** Redis forgets a project without new records after a month. */
  private async lastSeq(projectId: string): Promise<number> {
    const [row] = await this.store.rows<{ seq: number | string }>(
      sql`SELECT max(seq) AS seq FROM record_events WHERE project_id = ${bind('String', projectId)}`,
    );
    return Number(row?.seq ?? 0);
  }

  /** Digests of the files to erase. */
  private async filesOf(target: ErasureTarget): Promise<readonly string[] | 'all'> {
    switch (target.kind) {
      case 'trace':
        return [];
      case 'user':
        return this.ids(ownContent(target, 'FileStored'));
      case 'project':
        return 'all';
    }
  }

  /** Waits until the queue has no facts of the project, which a worker would store after the erasure. */
  private async waitUntilStored(projectId: string, waitMs: number): Promise<void> {
    const facts = await storedWithin(this.ledger, projectId, waitMs);
    if (facts > 0)
      throw new ErasureError(
        `${facts} facts of ${projectId || 'no project'} are still pending; let a worker store them, then run the command again.`,
      );
  }

  private async eraseCalls(
    projectId: string,
    ids: readonly string[],
    by: string,
    rows: RowCounts,
    waitMs: number,
  ): Promise<void> {
    await this.publisher.publish(ids.map((callId, i) => deleteFact(projectId, callId, by, i)));
    await this.waitUntilStored(projectId, waitMs);
    await this.erased.removeCalls(projectId, ids, rows);
  }

  /** Files and tables are shared by content, so only those are deleted that no other user has uploaded. */
  private async contentOf(
    target: ErasureTarget,
    fileDigests: readonly string[] | 'all',
  ): Promise<Deletion[]> {
    if (target.kind !== 'user' || fileDigests === 'all') return [];
    const project = sql`project_id = ${bind('String', target.projectId)}`;
    const digests = async (query: Sql) => bind('Array(String)', await this.ids(query));
    const files = bind('Array(String)', fileDigests);
    const tables = await digests(ownContent(target, 'TableCreated'));
    const tableRows = await digests(ownRows(target.projectId, tables));
    return [
      { table: 'files', where: sql`${project} AND digest IN ${files}` },
      { table: 'tables', where: sql`${project} AND digest IN ${tables}` },
      { table: 'table_positions', where: sql`${project} AND digest IN ${tables}` },
      { table: 'table_rows', where: sql`${project} AND digest IN ${tableRows}` },
    ];
  }

  /** Removes the user id from facts about calls of other users, and rebuilds objects that other users published too. */
  private async forgetUser(target: ErasureTarget & { kind: 'user' }): Promise<void> {
    await this.erased.forgetUser(factsOfUser(target));
    await this.records.project({ projectId: target.projectId });
  }

  private async verify(
    target: ErasureTarget,
    others: readonly Deletion[],
    files: readonly string[] | 'all',
  ): Promise<void> {
    const left: string[] = [];
    const inBucket = await this.bucket.count(target.projectId, files);
    if (inBucket > 0) left.push(`${inBucket} files in the bucket`);
    const calls = await this.ids(callsOf(target));
    for (let at = 0; at < calls.length; at += CALLS_PER_BATCH) {
      const batch = bind('Array(String)', calls.slice(at, at + CALLS_PER_BATCH));
      others = [...others, ...deletionsOfCalls(target.projectId, batch)];
    }
    for (const deletion of others) {
      const count = await this.erased.count(deletion);
      if (count > 0) left.push(`${count} rows of ${deletion.table}`);
    }
    if (left.length > 0)
      throw new ErasureError(
        `Not everything was erased: ${left.join(', ')} are left. Run the command again.`,
      );
  }

  private async ids(query: Sql): Promise<string[]> {
    const rows = await this.store.rows<{ id?: string; digest?: string }>(query);
    return rows.map(({ id, digest }) => id ?? digest!);
  }
}

function deleteFact(projectId: string, callId: string, userId: string, index: number): NewFact {
  const receivedAt = micros(Date.now() * 1000 + index);
  const item = Buffer.from(ERASED_ITEM);
  return { kind: 'delete', projectId, callId, userId, addsOnly: false, receivedAt, item };
}
