import { Injectable } from '@nestjs/common';
import type { StoreRefused } from '@app/clickhouse';
import type { CallFact, Fact, RejectedFact } from '@app/events';
import { Held } from '@app/queue';
import { DeadLetters } from '../dead-letters.writer.js';
import { Receipts } from '../receipts.writer.js';

/** What a flush leaves besides rows: dead letters, receipts, and the list of calls that wait for their start. */
@Injectable()
export class FlushRest {
  constructor(
    private readonly deadLetters: DeadLetters,
    private readonly receipts: Receipts,
    private readonly held: Held,
  ) {}

  bury(rejected: readonly RejectedFact[]): Promise<void> {
    return this.deadLetters.write(rejected.map((fact) => ({ fact, reason: fact.reason })));
  }

  buryRefused(fact: CallFact, { message }: StoreRefused): Promise<void> {
    return this.deadLetters.write([{ fact, reason: message }]);
  }

  sign(facts: readonly Fact[]): Promise<void> {
    return this.receipts.write(facts);
  }

  hold(held: readonly string[], released: readonly string[]): Promise<void> {
    return this.held.update(held, released);
  }
}
