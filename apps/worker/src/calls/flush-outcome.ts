import { Injectable } from '@nestjs/common';
import type { StoreRefusedError } from '@app/clickhouse';
import type { CallFact, Fact, RejectedFact } from '@app/events';
import { DeadLetters } from '../pipeline/dead-letters.writer.js';
import { FlushReceipts } from '../pipeline/flush-receipts.writer.js';
import { RefusalEvidence } from '../pipeline/refusal-evidence.js';

/** Writes the results of a flush other than rows: dead letters and flush receipts. */
@Injectable()
export class FlushOutcome {
  /** Of all flushes of this worker, whatever their lane. */
  readonly evidence: RefusalEvidence;

  constructor(
    private readonly deadLetters: DeadLetters,
    private readonly receipts: FlushReceipts,
  ) {
    this.evidence = new RefusalEvidence(() => deadLetters.areAccepted());
  }

  deadLetter(rejected: readonly RejectedFact[]): Promise<void> {
    return this.deadLetters.write(rejected.map((fact) => ({ fact, reason: fact.reason })));
  }

  deadLetterRefused(fact: CallFact, { message }: StoreRefusedError): Promise<void> {
    return this.deadLetters.write([{ fact, reason: message }]);
  }

  recordReceipt(facts: readonly Fact[]): Promise<void> {
    return this.receipts.write(facts);
  }
}
