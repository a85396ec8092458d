import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { bind, raw, Removal, sql, Store, type Sql } from '@app/clickhouse';
import type { NewFact } from '@app/events';
import { FactPublisher, Ledger, VersionNames } from '@app/queue';
import { micros } from '@app/wire';
import { ReceiptsRemoval } from '../receipts.removal.js';
import { RecordsRebuild } from '../repair/records-rebuild.js';
import { BucketFiles } from './bucket-files.js';
import { ErasureError } from './erasure-error.js';
import {
  callsOf,
  doomedBesides,
  doomedOfCalls,
  ownContent,
  ownRows,
  type Doomed,
  type ErasureTarget,
} from './erasure-target.js';

const CALLS_AT_ONCE = 5000;
const POLL_MS = 100;

/** Tables of facts, and what receipts call a fact of theirs. */
const FACT_IDS: Readonly<Record<string, string>> = {
  call_events: 'lower(hex(event_id))',
  dead_letters: 'id',
};

export interface Erased {
  readonly calls: number;
  /** Files in the bucket, when there is one. */
  readonly files: number;
  /** Rows by table, as counted before they went. */
  readonly rows: Readonly<Record<string, number>>;
}

type Progress = (done: number, total: number) => void;

/** Takes away everything of a project, a trace or a user, for good: log, projections, files, dead letters. */
@Injectable()
export class Erasure {
  constructor(
    private readonly store: Store,
    private readonly removal: Removal,
    private readonly publisher: FactPublisher,
    private readonly ledger: Ledger,
    private readonly names: VersionNames,
    private readonly records: RecordsRebuild,
    private readonly bucket: BucketFiles,
    private readonly receipts: ReceiptsRemoval,
  ) {}

  /** Projects in which a user has left anything. */
  async projectsOf(userId: string): Promise<string[]> {
    const user = bind('String', userId);
    const rows = await this.store.rows<{ project_id: string }>(sql`SELECT DISTINCT project_id FROM (
  SELECT project_id FROM call_events WHERE user_id = ${user}
  UNION ALL SELECT project_id FROM record_events WHERE user_id = ${user}
  UNION ALL SELECT project_id FROM dead_letters WHERE user_id = ${user}
  UNION ALL SELECT project_id FROM feedback WHERE user_id = ${user} OR creator = ${user}
) ORDER BY project_id`);
    return rows.map(({ project_id }) => project_id);
  }

  /** Resolves when nothing is left, which was verified by reading; rejects with ErasureError otherwise. */
  async erase(
    target: ErasureTarget,
    by: string,
    progress: Progress,
    waitMs = 60_000,
  ): Promise<Erased> {
    const { projectId } = target;
    if (target.kind !== 'trace') await this.bucket.requireReach(projectId);
    await this.drained(projectId, waitMs);
    const rows: Record<string, number> = {};
    const calls = await this.ids(callsOf(target));
    for (let at = 0; at < calls.length; at += CALLS_AT_ONCE) {
      const some = calls.slice(at, at + CALLS_AT_ONCE);
      progress(at, calls.length);
      await this.eraseCalls(projectId, some, by, rows, waitMs);
    }
    progress(calls.length, calls.length);
    const digests = await this.filesOf(target);
    const besides = [...doomedBesides(target), ...(await this.contentOf(target, digests))];
    // Before the rows that name them.
    const files = await this.bucket.take(projectId, digests);
    for (const one of besides) await this.take(projectId, one, rows);
    if (target.kind === 'project') await this.names.forget(projectId);
    if (target.kind === 'user') await this.forgetUser(target);
    await this.verify(target, besides, digests);
    return { calls: calls.length, files, rows };
  }

  /** Digests of the files that go. */
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

  /** What waits in the queue would be stored afterwards. */
  private async drained(projectId: string, waitMs: number): Promise<void> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const chunks = await this.ledger.pendingChunks(projectId);
      if (chunks === 0) return;
      if (Date.now() > deadline) {
        throw new ErasureError(
          `${chunks} chunks of ${projectId} still wait in the queue; let a worker store them, then run it again.`,
        );
      }
      await sleep(POLL_MS);
    }
  }

  private async eraseCalls(
    projectId: string,
    ids: readonly string[],
    by: string,
    rows: Record<string, number>,
    waitMs: number,
  ): Promise<void> {
    await this.publisher.publish(ids.map((callId, i) => deletion(projectId, callId, by, i)));
    await this.drained(projectId, waitMs);
    const calls = bind('Array(String)', ids);
    for (const one of doomedOfCalls(projectId, calls)) await this.take(projectId, one, rows);
  }

  /** The ledger goes on counting these facts, but no longer knows what they were. */
  private async forgetReceipts(projectId: string, { table, where }: Doomed): Promise<void> {
    const id = FACT_IDS[table];
    if (id === undefined) return;
    await this.receipts.forget(
      projectId,
      sql`SELECT DISTINCT ${raw(id)} AS id FROM ${raw(table)} WHERE ${where}`,
    );
  }

  /** Files and tables are kept by their content; they go when nobody else has brought the same. */
  private async contentOf(
    target: ErasureTarget,
    fileDigests: readonly string[] | 'all',
  ): Promise<Doomed[]> {
    if (target.kind !== 'user' || fileDigests === 'all') return [];
    const project = sql`project_id = ${bind('String', target.projectId)}`;
    const digests = async (question: Sql) => bind('Array(String)', await this.ids(question));
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

  /** Their renames of calls of others stay without their name; objects that others published too are made again. */
  private async forgetUser({ projectId, userId }: ErasureTarget & { kind: 'user' }): Promise<void> {
    const where = sql`project_id = ${bind('String', projectId)} AND user_id = ${bind('String', userId)}`;
    await this.removal.change('call_events', sql`user_id = ''`, where);
    await this.records.project({ projectId });
  }

  private async take(
    projectId: string,
    doomed: Doomed,
    rows: Record<string, number>,
  ): Promise<void> {
    const { table, where } = doomed;
    const count = await this.count(doomed);
    if (count === 0) return;
    await this.forgetReceipts(projectId, doomed);
    await this.removal.remove(table, where);
    rows[table] = (rows[table] ?? 0) + count;
  }

  private async verify(
    target: ErasureTarget,
    besides: readonly Doomed[],
    files: readonly string[] | 'all',
  ): Promise<void> {
    const left: string[] = [];
    const inBucket = await this.bucket.count(target.projectId, files);
    if (inBucket > 0) left.push(`${inBucket} files in the bucket`);
    const calls = await this.ids(callsOf(target));
    for (let at = 0; at < calls.length; at += CALLS_AT_ONCE) {
      const some = bind('Array(String)', calls.slice(at, at + CALLS_AT_ONCE));
      besides = [...besides, ...doomedOfCalls(target.projectId, some)];
    }
    for (const one of besides) {
      const count = await this.count(one);
      if (count > 0) left.push(`${count} rows of ${one.table}`);
    }
    if (left.length > 0)
      throw new ErasureError(`Not everything is gone: ${left.join(', ')}. Run it again.`);
  }

  private async count({ table, where }: Doomed): Promise<number> {
    const [row] = await this.store.rows<{ n: number | string }>(
      sql`SELECT count() AS n FROM ${raw(table)} WHERE ${where}`,
    );
    return Number(row?.n ?? 0);
  }

  private async ids(question: Sql): Promise<string[]> {
    const rows = await this.store.rows<{ id?: string; digest?: string }>(question);
    return rows.map(({ id, digest }) => id ?? digest!);
  }
}

function deletion(projectId: string, callId: string, userId: string, index: number): NewFact {
  const receivedAt = micros(Date.now() * 1000 + index);
  return { kind: 'delete', projectId, callId, userId, receivedAt, item: Buffer.from('{}') };
}
