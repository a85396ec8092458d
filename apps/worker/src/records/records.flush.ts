import { Injectable } from '@nestjs/common';
import { StoreRefusedError } from '@app/clickhouse';
import type { AnyRecordFact, Ordered, RejectedFact } from '@app/events';
import { RecordsQueue } from '@app/queue';
import { StalePrices } from '../costs/stale-prices.js';
import { DeadLetters } from '../dead-letters.writer.js';
import { RecordsWriter } from './records.writer.js';

type Fact = Ordered<AnyRecordFact>;

/** Writes the facts of many jobs; one that the store will never take stands alone among the dead letters. */
@Injectable()
export class RecordsFlush {
  constructor(
    private readonly writer: RecordsWriter,
    private readonly deadLetters: DeadLetters,
    private readonly queue: RecordsQueue,
    private readonly stale: StalePrices,
  ) {}

  /** Resolves when every fact is stored, in its table or among the dead letters. May be repeated. */
  async write(facts: readonly Fact[]): Promise<void> {
    try {
      await this.writer.write(facts);
      await this.stale.mark(facts.filter(changesPrices).map(({ projectId }) => projectId));
    } catch (error) {
      if (!(error instanceof StoreRefusedError)) throw error;
      if (facts.length === 1) return this.giveUp(facts[0]!, error.message);
      const middle = facts.length >>> 1;
      await this.write(facts.slice(0, middle));
      await this.write(facts.slice(middle));
    }
  }

  private async giveUp(fact: Fact, reason: string): Promise<void> {
    await this.deadLetters.write([{ fact: rejected(fact, reason), reason }]);
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
    receivedAt,
    chunkId,
    index,
    item,
    reason,
  };
}
