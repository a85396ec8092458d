import { Injectable } from '@nestjs/common';
import { and, atMillis, bind, sql, Store, type Sql } from '@app/clickhouse';
import type { AnyRecordFact, Ordered } from '@app/events';
import { micros, type Millis } from '@app/wire';

interface LoggedRow {
  readonly project_id: string;
  readonly type: AnyRecordFact['type'];
  readonly seq: number | string;
  readonly version_index: number | string;
  readonly received: number | string;
  readonly user_id: string;
  readonly chunk_id: string;
  readonly chunk_index: number;
  readonly data: string;
  readonly body: string;
}

export interface LogRange {
  readonly projectId?: string;
  readonly receivedFrom?: Millis;
}

/** Facts that are given on at once: one insert per table and this many. */
const SOME = 5000;

/** Reads what happened to records from the log. */
@Injectable()
export class RecordLog {
  constructor(private readonly store: Store) {}

  /** Facts that projections follow from, in any order, some of them twice. */
  async *facts(range: LogRange): AsyncGenerator<Ordered<AnyRecordFact>[]> {
    let some: Ordered<AnyRecordFact>[] = [];
    for await (const rows of this.store.stream<LoggedRow>(logOf(range))) {
      for (const row of rows) some.push(loggedFact(row));
      if (some.length < SOME) continue;
      yield some;
      some = [];
    }
    if (some.length > 0) yield some;
  }

  async count(): Promise<number> {
    const [row] = await this.store.rows<{ facts: number | string }>(
      sql`SELECT count() AS facts FROM record_events WHERE ${PROJECTED}`,
    );
    return Number(row?.facts ?? 0);
  }
}

/** The other facts say that content was added, which stands where it was added. */
const PROJECTED = sql`type NOT IN ('RowsAdded', 'FileStored')`;

function logOf({ projectId, receivedFrom }: LogRange): Sql {
  const where = and([
    projectId !== undefined && sql`project_id = ${bind('String', projectId)}`,
    PROJECTED,
    receivedFrom !== undefined && sql`received_at >= ${atMillis(receivedFrom)}`,
  ]);
  return sql`SELECT project_id, type, seq, version_index, toUnixTimestamp64Micro(received_at) AS received, user_id,
  chunk_id, chunk_index, data, body
FROM record_events WHERE ${where}`;
}

function loggedFact(row: LoggedRow): Ordered<AnyRecordFact> {
  // What the log holds was a fact when it was written; only its parts were taken apart.
  return {
    type: row.type,
    projectId: row.project_id,
    userId: row.user_id,
    receivedAt: micros(Number(row.received)),
    data: JSON.parse(row.data) as object,
    body: Buffer.from(row.body),
    seq: Number(row.seq),
    versionIndex: Number(row.version_index),
    chunkId: row.chunk_id,
    index: row.chunk_index,
  } as Ordered<AnyRecordFact>;
}
