import { Injectable } from '@nestjs/common';
import { bind, DEAD_LETTERS, sql, Store, type DeadLetterRow } from '@app/clickhouse';
import { factId, type Fact } from '@app/events';
import { counter } from '@app/observability';

const WRITTEN = counter(
  'heddle_worker_dead_letters_total',
  'Dead letters written, some of them twice: `invalid` items, facts that ClickHouse `refused`, facts of an `other_user` without effect, and chunks whose payload is `lost`.',
  ['kind', 'reason'],
);

/** A fact that cannot be stored, and the reason. */
export interface DeadLetter {
  readonly fact: Fact;
  readonly reason: string;
  /** The reason as a label, which has few values. */
  readonly cause: 'invalid' | 'refused' | 'other_user' | 'lost';
}

@Injectable()
export class DeadLetters {
  constructor(private readonly store: Store) {}

  /** Resolves when ClickHouse has stored them. Writing one twice stores it once. */
  async write(deadLetters: readonly DeadLetter[]): Promise<void> {
    await this.store.insert(DEAD_LETTERS, deadLetters.map(deadLetterRow));
    for (const { fact, cause } of deadLetters) WRITTEN.inc({ kind: fact.kind, reason: cause });
  }

  /** Whether ClickHouse accepts inserts at all: a known-good insert, for the evidence against a refused fact. */
  areAccepted(): Promise<boolean> {
    return this.store.acceptsInserts(DEAD_LETTERS);
  }

  /** Ids of those facts of one call that are dead letters, whatever their state. */
  async among(facts: readonly Fact[]): Promise<ReadonlySet<string>> {
    const [first] = facts;
    if (first === undefined) return new Set();
    const rows = await this.store.rows<{ id: string }>(
      sql`SELECT DISTINCT id FROM dead_letters
WHERE project_id = ${bind('String', first.projectId)} AND id IN ${bind('Array(String)', facts.map(factId))}`,
    );
    return new Set(rows.map(({ id }) => id));
  }
}

function deadLetterRow({ fact, reason }: DeadLetter): DeadLetterRow {
  return {
    id: factId(fact),
    project_id: fact.projectId,
    call_id: fact.callId,
    kind: fact.kind,
    reason,
    user_id: fact.userId,
    received_at: fact.receivedAt,
    chunk_id: fact.chunkId,
    chunk_index: fact.index,
    item: fact.item,
    state: 'open',
    changed_at: fact.receivedAt,
  };
}
