import { Injectable } from '@nestjs/common';
import {
  and,
  atMicros,
  bind,
  sql,
  Store,
  withinScope,
  type DeadLetterRow,
  type Sql,
} from '@app/clickhouse';
import { microsOf, nowMillis, type Micros } from '@app/wire';

export interface DeadLetterFilter {
  /** `*`, an entity or a project. */
  readonly scope?: string;
  readonly state: DeadLetterRow['state'];
  readonly kind?: string | undefined;
  /** A part of the reason. */
  readonly reason?: string | undefined;
  readonly reasonGroup?: string | undefined;
  readonly receivedBefore?: Micros | undefined;
  /** Only those after this one. */
  readonly after?: Pick<StoredDeadLetter, 'received' | 'id'> | undefined;
}

/** A dead letter without its item, which may have many megabytes. */
export interface StoredDeadLetter extends Pick<
  DeadLetterRow,
  'id' | 'project_id' | 'call_id' | 'kind' | 'reason' | 'user_id' | 'state'
> {
  /** Microseconds. */
  readonly received: string;
  readonly bytes: number | string;
}

export interface ReasonGroup {
  readonly kind: string;
  readonly reason: string;
  readonly count: number | string;
  readonly bytes: number | string;
}

/** Reads and marks dead letters for operators. */
@Injectable()
export class DeadLettersReader {
  constructor(private readonly store: Store) {}

  /** The oldest first. */
  list(filter: DeadLetterFilter, limit: number): Promise<StoredDeadLetter[]> {
    return this.store.rows<StoredDeadLetter>(
      sql`${DEAD_LETTER} WHERE ${matching(filter)} ORDER BY received_at, id LIMIT ${bind('UInt64', limit)}`,
    );
  }

  byId(ids: readonly string[], scope = '*'): Promise<StoredDeadLetter[]> {
    const found = and([sql`id IN ${bind('Array(String)', ids)}`, withinScope(scope)]);
    return this.store.rows<StoredDeadLetter>(
      sql`${DEAD_LETTER} WHERE ${found} ORDER BY received_at, id`,
    );
  }

  /** The bytes of the item as they were sent, at most the first `maxBytes`. */
  item({ id, project_id }: Pick<StoredDeadLetter, 'id' | 'project_id'>, maxBytes?: number) {
    const column =
      maxBytes === undefined ? sql`item` : sql`substring(item, 1, ${bind('UInt64', maxBytes)})`;
    return this.store.bytes(
      sql`SELECT ${column} FROM dead_letters WHERE project_id = ${bind('String', project_id)} AND id = ${bind('String', id)} LIMIT 1`,
    );
  }

  /** Counts by kind and reason. Reasons that differ only in numbers count as one. */
  reasons(filter: DeadLetterFilter): Promise<ReasonGroup[]> {
    return this.store
      .rows(sql`SELECT kind, ${REASON_GROUP} AS reason, count() AS count, sum(length(item)) AS bytes
FROM dead_letters FINAL WHERE ${matching({ ...filter, after: undefined })} GROUP BY kind, reason ORDER BY count DESC, kind, reason LIMIT 50`);
  }

  /** Sets the state. A dead letter is never deleted. The items are copied inside ClickHouse. */
  async mark(
    deadLetters: readonly Pick<StoredDeadLetter, 'id' | 'project_id'>[],
    state: DeadLetterRow['state'],
  ): Promise<void> {
    if (deadLetters.length === 0) return;
    const ids = deadLetters.map(({ id }) => id);
    const projects = [...new Set(deadLetters.map(({ project_id }) => project_id))];
    await this.store.run(sql`INSERT INTO dead_letters
SELECT * REPLACE (${bind('String', state)} AS state, ${atMicros(microsOf(nowMillis()))} AS changed_at) FROM dead_letters FINAL
WHERE project_id IN ${bind('Array(String)', projects)} AND id IN ${bind('Array(String)', ids)}`);
  }
}

const DEAD_LETTER = sql`SELECT id, project_id, call_id, kind, reason, user_id, toString(toUnixTimestamp64Micro(received_at)) AS received,
  length(item) AS bytes, state
FROM dead_letters FINAL`;

/** `dead_letters.reason`, because `reasons` gives the group the same name. */
const REASON_GROUP = sql`replaceRegexpAll(substring(dead_letters.reason, 1, 120), '[0-9]+', 'N')`;

function matching(filter: DeadLetterFilter): Sql {
  const { scope = '*', state, kind, reason, reasonGroup, receivedBefore, after } = filter;
  return and([
    sql`state = ${bind('String', state)}`,
    withinScope(scope),
    kind !== undefined && sql`kind = ${bind('String', kind)}`,
    reason !== undefined &&
      sql`positionCaseInsensitive(dead_letters.reason, ${bind('String', reason)}) > 0`,
    reasonGroup !== undefined && sql`${REASON_GROUP} = ${bind('String', reasonGroup)}`,
    receivedBefore !== undefined && sql`received_at < ${atMicros(receivedBefore)}`,
    after !== undefined &&
      sql`(toUnixTimestamp64Micro(received_at), id) > (${bind('Int64', after.received)}, ${bind('String', after.id)})`,
  ]);
}
