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

/** Facts and bytes per batch; each batch is one insert per table. */
const BATCH_SIZE = 5000;
const BATCH_MAX_BYTES = 8 * 1024 * 1024;

/** Reads facts about records from the log. */
@Injectable()
export class RecordLog {
  constructor(private readonly store: Store) {}

  /** Facts that have projections, unordered and possibly repeated. */
  async *facts(range: LogRange): AsyncGenerator<Ordered<AnyRecordFact>[]> {
    let batch: Ordered<AnyRecordFact>[] = [];
    let bytes = 0;
    for await (const rows of this.store.stream<LoggedRow>(logOf(range))) {
      for (const row of rows) {
        batch.push(loggedFact(row));
        bytes += row.data.length + row.body.length;
        if (batch.length < BATCH_SIZE && bytes < BATCH_MAX_BYTES) continue;
        yield batch;
        [batch, bytes] = [[], 0];
      }
    }
    if (batch.length > 0) yield batch;
  }

  async count(): Promise<number> {
    const [row] = await this.store.rows<{ facts: number | string }>(
      sql`SELECT count() AS facts FROM record_events WHERE ${PROJECTED}`,
    );
    return Number(row?.facts ?? 0);
  }
}

/** The other facts add content that is stored once and never projected. */
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
  // The columns were written from such a fact, so together they are one.
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
