import { Injectable } from '@nestjs/common';
import type { StoreRefusedError } from '@app/clickhouse';
import type { CallFact, Fact, RejectedFact } from '@app/events';
import { DeadLetters } from '../dead-letters.writer.js';
import { FlushReceipts } from '../flush-receipts.writer.js';
import { CallsAwaitingStart } from './calls-awaiting-start.js';

/** What a flush leaves besides rows: dead letters, receipts, and the list of calls that wait for their start. */
@Injectable()
export class FlushOutcome {
  constructor(
    private readonly deadLetters: DeadLetters,
    private readonly receipts: FlushReceipts,
    private readonly held: CallsAwaitingStart,
  ) {}

  deadLetter(rejected: readonly RejectedFact[]): Promise<void> {
    return this.deadLetters.write(rejected.map((fact) => ({ fact, reason: fact.reason })));
  }

  deadLetterRefused(fact: CallFact, { message }: StoreRefusedError): Promise<void> {
    return this.deadLetters.write([{ fact, reason: message }]);
  }

  recordReceipt(facts: readonly Fact[]): Promise<void> {
    return this.receipts.write(facts);
  }

  updateAwaitingStart(held: readonly string[], released: readonly string[]): Promise<void> {
    return this.held.update(held, released);
  }
}
