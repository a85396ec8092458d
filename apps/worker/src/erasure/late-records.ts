import { Injectable } from '@nestjs/common';
import { bind, raw, sql, Store, type Sql } from '@app/clickhouse';
import { ErasedRows, type RowCounts } from './erased-rows.js';
import type { Deletion } from './erasure-target.js';
import {
  callsWithLateRecords,
  lateDeadLetters,
  lateFactsOfUser,
  lateRecords,
  lateRecordsOfCalls,
  rowsWithoutFact,
  type LateRows,
  type RecentErasure,
} from './late-rows.sql.js';

const IDS_PER_BATCH = 5000;
/** What is left after these many batches is left to the next run of the job. */
const MAX_ROUNDS = 1000;

/** Finds and deletes erased records that are in ClickHouse all the same, and rows that are left without their fact. */
@Injectable()
export class LateRecords {
  constructor(
    private readonly store: Store,
    private readonly erased: ErasedRows,
  ) {}

  async isFound(erasure: RecentErasure): Promise<boolean> {
    const batch = await this.find(erasure);
    return batch.length > 0 || (await this.factsOfUser(erasure)) !== undefined;
  }

  /** Adds the number of deleted rows to `rows`. Deleting a fact may leave content without one, which the next round finds. */
  async remove(erasure: RecentErasure, rows: RowCounts, signal: AbortSignal): Promise<void> {
    const facts = await this.factsOfUser(erasure);
    if (facts !== undefined) await this.erased.forgetUser(facts);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      signal.throwIfAborted();
      const batch = await this.find(erasure);
      if (batch.length === 0) return;
      for (const deletion of batch)
        await this.erased.remove(erasure.target.projectId, deletion, rows);
    }
  }

  private async find(erasure: RecentErasure): Promise<Deletion[]> {
    const deletions = lateRecords(erasure);
    const calls = await this.ids(callsWithLateRecords(erasure, IDS_PER_BATCH));
    if (calls.length > 0) deletions.push(...lateRecordsOfCalls(erasure, calls));
    const { projectId } = erasure.target;
    const deadLetters: LateRows = {
      ...{ table: 'dead_letters', column: 'id' },
      ids: lateDeadLetters(projectId, IDS_PER_BATCH),
    };
    for (const rows of [...rowsWithoutFact(erasure, IDS_PER_BATCH), deadLetters]) {
      const ids = await this.ids(rows.ids);
      if (ids.length > 0) deletions.push(deletionOf(projectId, rows, ids));
    }
    const counts = await Promise.all(deletions.map((deletion) => this.erased.count(deletion)));
    return deletions.filter((_, i) => counts[i]! > 0);
  }

  /** Facts of an erased user about calls of other users. */
  private async factsOfUser(erasure: RecentErasure): Promise<Sql | undefined> {
    const where = lateFactsOfUser(erasure);
    if (where === undefined) return undefined;
    return (await this.erased.count({ table: 'call_events', where })) > 0 ? where : undefined;
  }

  private async ids(query: Sql): Promise<string[]> {
    return (await this.store.rows<{ id: string }>(query)).map(({ id }) => id);
  }
}

function deletionOf(
  projectId: string,
  { table, column }: LateRows,
  ids: readonly string[],
): Deletion {
  const project = sql`project_id = ${bind('String', projectId)}`;
  const values = bind('Array(String)', ids);
  return { table, where: sql`${project} AND ${raw(column)} IN ${values}` };
}
