import { TupleParam } from '@clickhouse/client';
import { Injectable } from '@nestjs/common';
import { bind, CALL_EVENTS, sql, Store, type CallEventRow, type Sql } from '@app/clickhouse';
import { DecodedFact, factId, setId, type CallFact, type CallFactKind } from '@app/events';
import { micros } from '@app/wire';

/** Keeps the URL of one query, which carries the ids as parameters, well below the server's limit. */
const CALLS_PER_LOOKUP = 2000;

export type CallKey = readonly [projectId: string, callId: string];

/** A project id has one slash and no line break, so the first line break separates the two. */
export const logKey = ([projectId, callId]: CallKey): string => `${projectId}\n${callId}`;

interface SizeRow {
  readonly project_id: string;
  readonly call_id: string;
  readonly bytes: number | string;
}

interface LoggedRow {
  readonly project_id: string;
  readonly call_id: string;
  readonly kind: CallFactKind;
  readonly id: string;
  readonly received: number | string;
  readonly user_id: string;
  readonly adds_only: number;
  readonly chunk_id: string;
  readonly chunk_index: number;
  readonly item: string;
}

/** The event log of calls. */
@Injectable()
export class CallLog {
  constructor(private readonly store: Store) {}

  /** Resolves when ClickHouse has stored the facts. A fact that is appended twice is stored once. */
  append(facts: readonly CallFact[]): Promise<void> {
    return this.store.insert(CALL_EVENTS, facts.map(eventRow));
  }

  /**
   * The size of the facts of these calls, by `logKey`. Call this before `factsOf`: a few small ends may belong to gigabytes of
   * starts. A call without facts has no entry.
   */
  async bytesOf(calls: readonly CallKey[]): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    for (let at = 0; at < calls.length; at += CALLS_PER_LOOKUP) {
      const batch = calls.slice(at, at + CALLS_PER_LOOKUP);
      for (const { project_id, call_id, bytes } of await this.store.rows<SizeRow>(
        sizesQuery(batch),
      ))
        sizes.set(logKey([project_id, call_id]), Number(bytes));
    }
    return sizes;
  }

  /** Resolves to all facts of these calls, unordered and possibly repeated. */
  async factsOf(calls: readonly CallKey[]): Promise<CallFact[]> {
    const facts: CallFact[] = [];
    for (let at = 0; at < calls.length; at += CALLS_PER_LOOKUP) {
      const batch = calls.slice(at, at + CALLS_PER_LOOKUP);
      const rows = await this.store.rows<LoggedRow>(factsQuery(batch));
      for (const row of rows) facts.push(loggedFact(row));
    }
    return facts;
  }
}

/** Of a fact that was received in 1970. */
const FIRST_PRIORITY = 2n ** 63n;

function eventRow(fact: CallFact): CallEventRow {
  return {
    project_id: fact.projectId,
    call_id: fact.callId,
    kind: fact.kind,
    event_id: factId(fact),
    received_at: fact.receivedAt,
    priority: FIRST_PRIORITY - BigInt(fact.receivedAt),
    user_id: fact.userId,
    adds_only: fact.addsOnly ? 1 : 0,
    chunk_id: fact.chunkId,
    chunk_index: fact.index,
    item: fact.item,
  };
}

function factsQuery(calls: readonly CallKey[]): Sql {
  return sql`SELECT project_id, call_id, kind, lower(hex(event_id)) AS id, toUnixTimestamp64Micro(received_at) AS received,
  user_id, adds_only, chunk_id, chunk_index, item
FROM call_events WHERE ${isOneOf(calls)}`;
}

function sizesQuery(calls: readonly CallKey[]): Sql {
  return sql`SELECT project_id, call_id, sum(length(item)) AS bytes
FROM call_events WHERE ${isOneOf(calls)} GROUP BY project_id, call_id`;
}

function isOneOf(calls: readonly CallKey[]): Sql {
  const keys = calls.map((call) => new TupleParam(call));
  return sql`(project_id, call_id) IN ${bind('Array(Tuple(String, String))', keys)}`;
}

function loggedFact(row: LoggedRow): CallFact {
  const fact = new DecodedFact(
    row.kind,
    row.project_id,
    row.call_id,
    row.user_id,
    row.adds_only === 1,
    undefined,
    micros(Number(row.received)),
    row.chunk_id,
    row.chunk_index,
    Buffer.from(row.item),
  );
  setId(fact, row.id);
  return fact;
}
