import { Injectable } from '@nestjs/common';
import { bind, sql, Store, type Sql } from '@app/clickhouse';
import type { AnyRecordFact, Ordered } from '@app/events';
import { recordRows } from './record-rows.js';
import { RecordsWriter } from './records.writer.js';

interface LoggedRow {
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

/** Makes the tables about records from the log again. */
@Injectable()
export class RecordsRebuild {
  constructor(
    private readonly store: Store,
    private readonly writer: RecordsWriter,
  ) {}

  /** Writes every row that the project's facts add up to. Rows that are there already stay as they are. */
  async rebuild(projectId: string): Promise<number> {
    let facts = 0;
    for await (const rows of this.store.stream<LoggedRow>(logOf(projectId))) {
      const some = rows.map((row) => loggedFact(projectId, row));
      await this.writer.project(some.flatMap(recordRows));
      facts += some.length;
    }
    return facts;
  }
}

function logOf(projectId: string): Sql {
  return sql`SELECT type, seq, version_index, toUnixTimestamp64Micro(received_at) AS received, user_id,
  chunk_id, chunk_index, data, body
FROM record_events FINAL WHERE project_id = ${bind('String', projectId)} ORDER BY seq`;
}

function loggedFact(projectId: string, row: LoggedRow): Ordered<AnyRecordFact> {
  // What the log holds was a fact when it was written; only its parts were taken apart.
  return {
    type: row.type,
    projectId,
    userId: row.user_id,
    receivedAt: Number(row.received),
    data: JSON.parse(row.data) as object,
    body: Buffer.from(row.body),
    seq: Number(row.seq),
    versionIndex: Number(row.version_index),
    chunkId: row.chunk_id,
    index: row.chunk_index,
  } as Ordered<AnyRecordFact>;
}
