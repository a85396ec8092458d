import { Injectable } from '@nestjs/common';
import { bind, DEAD_LETTERS, sql, Store, type DeadLetterRow } from '@app/clickhouse';
import { factId, type Fact } from '@app/events';

/** A fact that can never be stored as what it claims to be, and why. */
export interface DeadLetter {
  readonly fact: Fact;
  readonly reason: string;
}

/** Where a fact goes that can never be stored. Nothing is thrown away. */
@Injectable()
export class DeadLetters {
  constructor(private readonly store: Store) {}

  /** Resolves when they are stored. Writing one twice leaves it there once. */
  write(letters: readonly DeadLetter[]): Promise<void> {
    return this.store.insert(DEAD_LETTERS, letters.map(deadLetterRow));
  }

  /** Ids of those of a call's facts that have a letter, whatever was done about it. */
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
