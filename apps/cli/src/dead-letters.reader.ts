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

/** The dead letters as an operator looks at them. */
export class DeadLettersReader {
  constructor(private readonly store: Store) {}

  list(filter: DeadLetterFilter, limit: number): Promise<StoredDeadLetter[]> {
    return this.store.rows<StoredDeadLetter>(
      sql`${LETTER} WHERE ${matching(filter)} ORDER BY received_at, id LIMIT ${bind('UInt64', limit)}`,
    );
  }

  byId(ids: readonly string[]): Promise<StoredDeadLetter[]> {
    return this.store.rows<StoredDeadLetter>(
      sql`${LETTER} WHERE id IN ${bind('Array(String)', ids)} ORDER BY received_at, id`,
    );
  }

  /** How many there are of each reason; numbers and quoted parts of a reason do not tell reasons apart. */
  reasons(
    filter: DeadLetterFilter,
  ): Promise<{ kind: string; reason: string; letters: number | string }[]> {
    return this.store
      .rows(sql`SELECT kind, replaceRegexpAll(substring(reason, 1, 120), '[0-9]+', 'N') AS reason, count() AS letters
FROM dead_letters FINAL WHERE ${matching(filter)} GROUP BY kind, reason ORDER BY letters DESC LIMIT 50`);
  }

  /** The letter stays, with what was done about it. */
  async mark(letters: readonly StoredDeadLetter[], state: DeadLetterRow['state']): Promise<void> {
    const rows = letters.map(({ received, item, ...letter }) => ({
      ...letter,
      received_at: micros(Number(received)),
      item: Buffer.from(item),
      state,
      changed_at: microsOf(nowMillis()),
    }));
    await this.store.insert(DEAD_LETTERS, rows);
  }
}

const LETTER = sql`SELECT id, project_id, call_id, kind, reason, user_id, toString(toUnixTimestamp64Micro(received_at)) AS received,
  chunk_id, chunk_index, item, state
FROM dead_letters FINAL`;

function matching({ project, reason, state }: DeadLetterFilter): Sql {
  return and([
    sql`state = ${bind('String', state)}`,
    project !== undefined && sql`project_id = ${bind('String', project)}`,
    reason !== undefined && sql`positionCaseInsensitive(reason, ${bind('String', reason)}) > 0`,
  ]);
}
