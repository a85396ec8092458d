import { Injectable } from '@nestjs/common';
import { decodeRecords, type AnyRecordFact, type Ordered, type RejectedFact } from '@app/events';
import { RecordsQueue, StalePrices } from '@app/queue';
import { DeadLetters } from '../pipeline/dead-letters.writer.js';
import { writeOrBisect } from '../pipeline/bisect.js';
import type { ChunkStream } from '../pipeline/chunk-pipeline.js';
import { RefusalEvidence } from '../pipeline/refusal-evidence.js';
import { RecordsWriter } from './records.writer.js';

type Fact = Ordered<AnyRecordFact>;

/** Decodes and writes the chunks of records. A client that waits for a chunk is informed if it cannot be stored. */
@Injectable()
export class RecordsStream implements ChunkStream<Fact> {
  private readonly evidence: RefusalEvidence;

  constructor(
    readonly queue: RecordsQueue,
    private readonly writer: RecordsWriter,
    private readonly deadLetters: DeadLetters,
    private readonly stale: StalePrices,
  ) {
    this.evidence = new RefusalEvidence(() => deadLetters.areAccepted());
  }

  decode(chunkId: string, payload: Buffer): Fact[] {
    return decodeRecords(chunkId, payload);
  }

  /** Resolves when every fact is stored, in its table or as a dead letter. May be repeated. */
  write(facts: readonly Fact[]): Promise<void> {
    return writeOrBisect(facts, {
      write: (batch) => this.store(batch),
      deadLetter: (fact, { message }) => this.reject(fact, message),
      evidence: this.evidence,
    });
  }

  onPayloadLost(chunkId: string): Promise<void> {
    return this.queue.reject(chunkId, 'Redis has lost the payload.');
  }

  private async store(facts: readonly Fact[]): Promise<void> {
    await this.writer.write(facts);
    await this.stale.mark(facts.filter(changesPrices).map(({ projectId }) => projectId));
  }

  private async reject(fact: Fact, reason: string): Promise<void> {
    await this.deadLetters.write([{ fact: rejected(fact, reason), reason, cause: 'refused' }]);
    await this.queue.reject(fact.chunkId, reason);
  }
}

const changesPrices = ({ type }: Fact) => type === 'PriceSet' || type === 'PricePurged';

function rejected(fact: Fact, reason: string): RejectedFact {
  const { projectId, userId, receivedAt, chunkId, index, type, data, body } = fact;
  const head = Buffer.from(`${JSON.stringify({ type, data })}\n`);
  const item = Buffer.concat([head, body]);
  return {
    kind: 'rejected',
    callId: '',
    projectId,
    userId,
    addsOnly: false,
    receivedAt,
    chunkId,
    index,
    item,
    reason,
  };
}
