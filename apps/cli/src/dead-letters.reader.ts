import type { Store } from '@app/clickhouse';
import { and, bind, DEAD_LETTERS, sql, type DeadLetterRow, type Sql } from '@app/clickhouse';
import { micros, microsOf, nowMillis } from '@app/wire';

export interface DeadLetterFilter {
  readonly project?: string;
  readonly reason?: string;
  readonly state: DeadLetterRow['state'];
}

export interface StoredDeadLetter extends Omit<
  DeadLetterRow,
  'item' | 'received_at' | 'changed_at'
> {
  readonly received: string;
  readonly item: string;
}

/** Reads and marks dead letters for the operator. */
export class DeadLettersReader {
  constructor(private readonly store: Store) {}

  list(filter: DeadLetterFilter, limit: number): Promise<StoredDeadLetter[]> {
    return this.store.rows<StoredDeadLetter>(
      sql`${DEAD_LETTER} WHERE ${matching(filter)} ORDER BY received_at, id LIMIT ${bind('UInt64', limit)}`,
    );
  }

  byId(ids: readonly string[]): Promise<StoredDeadLetter[]> {
    return this.store.rows<StoredDeadLetter>(
      sql`${DEAD_LETTER} WHERE id IN ${bind('Array(String)', ids)} ORDER BY received_at, id`,
    );
  }

  /** Counts by kind and reason. Reasons that differ only in numbers count as one. */
  reasons(
    filter: DeadLetterFilter,
  ): Promise<{ kind: string; reason: string; count: number | string }[]> {
    return this.store
      .rows(sql`SELECT kind, replaceRegexpAll(substring(reason, 1, 120), '[0-9]+', 'N') AS reason, count() AS count
FROM dead_letters FINAL WHERE ${matching(filter)} GROUP BY kind, reason ORDER BY count DESC LIMIT 50`);
  }

  /** Sets the state. A dead letter is never deleted. */
  async mark(
    deadLetters: readonly StoredDeadLetter[],
    state: DeadLetterRow['state'],
  ): Promise<void> {
    const rows = deadLetters.map(({ received, item, ...deadLetter }) => ({
      ...deadLetter,
      received_at: micros(Number(received)),
      item: Buffer.from(item),
      state,
      changed_at: microsOf(nowMillis()),
    }));
    await this.store.insert(DEAD_LETTERS, rows);
  }
}

const DEAD_LETTER = sql`SELECT id, project_id, call_id, kind, reason, user_id, toString(toUnixTimestamp64Micro(received_at)) AS received,
  chunk_id, chunk_index, item, state
FROM dead_letters FINAL`;

function matching({ project, reason, state }: DeadLetterFilter): Sql {
  return and([
    sql`state = ${bind('String', state)}`,
    project !== undefined && sql`project_id = ${bind('String', project)}`,
    reason !== undefined && sql`positionCaseInsensitive(reason, ${bind('String', reason)}) > 0`,
  ]);
}
