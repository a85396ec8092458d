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

type DeadLetterKey = Pick<StoredDeadLetter, 'id' | 'project_id'>;

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

  /** The bytes of the item as they were sent. */
  item(deadLetter: DeadLetterKey): Promise<Buffer> {
    return this.store.bytes(sql`SELECT item ${stored(deadLetter)}`);
  }

  /** At most `length` bytes of the item. */
  part(deadLetter: DeadLetterKey, offset: number, length: number): Promise<Buffer> {
    const range = sql`${bind('UInt64', offset + 1)}, ${bind('UInt64', length)}`;
    return this.store.bytes(sql`SELECT substring(item, ${range}) ${stored(deadLetter)}`);
  }

  /** The first byte of the text at or after `offset`; undefined without it. */
  async find(deadLetter: DeadLetterKey, text: string, offset: number): Promise<number | undefined> {
    const place = sql`position(item, ${bind('String', text)}, ${bind('UInt64', offset + 1)})`;
    const [row] = await this.store.rows<{ place: number | string }>(
      sql`SELECT ${place} AS place ${stored(deadLetter)}`,
    );
    const found = Number(row?.place ?? 0);
    return found === 0 ? undefined : found - 1;
  }

  /** Counts by kind and reason. Reasons that differ only in numbers count as one. */
  reasons(filter: DeadLetterFilter): Promise<ReasonGroup[]> {
    return this.store
      .rows(sql`SELECT kind, ${REASON_GROUP} AS reason, count() AS count, sum(length(item)) AS bytes
FROM dead_letters FINAL WHERE ${matching({ ...filter, after: undefined })} GROUP BY kind, reason ORDER BY count DESC, kind, reason LIMIT 50`);
  }

  /** Sets the state. A dead letter is never deleted. The items are copied inside ClickHouse. */
  async mark(deadLetters: readonly DeadLetterKey[], state: DeadLetterRow['state']): Promise<void> {
    if (deadLetters.length === 0) return;
    const ids = deadLetters.map(({ id }) => id);
    const projects = [...new Set(deadLetters.map(({ project_id }) => project_id))];
    await this.store.run(sql`INSERT INTO dead_letters
SELECT * REPLACE (${bind('String', state)} AS state, ${atMicros(microsOf(nowMillis()))} AS changed_at) FROM dead_letters FINAL
WHERE project_id IN ${bind('Array(String)', projects)} AND id IN ${bind('Array(String)', ids)}`);
  }
}

const stored = ({ id, project_id }: DeadLetterKey): Sql =>
  sql`FROM dead_letters WHERE project_id = ${bind('String', project_id)} AND id = ${bind('String', id)} LIMIT 1`;

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
