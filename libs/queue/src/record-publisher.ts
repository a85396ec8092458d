import { Injectable } from '@nestjs/common';
import { HeddleError } from '@app/errors';
import { readOrders, type Order, type RecordFact } from '@app/events';
import { startSpan, traced, type Span } from '@app/observability';
import { DiskSpace, ProjectRates } from '@app/redis';
import { nowMillis } from '@app/wire';
import { projectLoads } from './chunks.js';
import { NewProjects } from './new-projects.js';
import { QueueMemory } from './queue-memory.js';
import { ORDER_FACTS, recordClockKey, type OrderingStep } from './record-order.js';
import { RecordsQueue } from './records-queue.js';
import { RecordsStored } from './records-stored.js';
import { RECORDS_STREAM } from './streams.js';

/** The version hashes that facts change, and how each fact changes them. */
export interface Ordering {
  readonly keys: readonly string[];
  readonly steps: readonly OrderingStep[];
}

/** Redis has enqueued the chunk without an order for its facts, so workers ignore them. */
export class OrderingRefusedError extends HeddleError {
  readonly code = 'ordering_refused';
  constructor(readonly reason: string) {
    super(`Facts were not ordered: ${reason}`);
  }
}

/** Publishes facts about records, and waits until they can be read. */
@Injectable()
export class RecordPublisher {
  constructor(
    private readonly queue: RecordsQueue,
    private readonly memory: QueueMemory,
    private readonly stored: RecordsStored,
    private readonly rates: ProjectRates,
    private readonly disks: DiskSpace,
    private readonly newProjects: NewProjects,
  ) {}

  /**
   * Resolves when the facts of one project can be read. Rejects with DiskFullError, QueueFullError or RateLimitedError when it has
   * accepted none of them, with WritePendingError when it has accepted all, and with QueueUnavailableError when that is unknown.
   * It is safe to repeat them.
   */
  async publish(facts: readonly RecordFact[], ordering?: Ordering): Promise<Order[]> {
    if (facts.length === 0) return [];
    const span = startSpan('publish records', 'producer')?.set('heddle.facts', facts.length);
    return traced(span, () => this.publishIn(span, facts, ordering));
  }

  private async publishIn(
    span: Span | undefined,
    facts: readonly RecordFact[],
    ordering?: Ordering,
  ): Promise<Order[]> {
    const { projectId, userId } = facts[0]!;
    const bytes = facts.reduce((sum, fact) => sum + RECORDS_STREAM.sizeOf(fact), 0);
    this.disks.refuseWhenLow();
    await this.newProjects.admit(userId, [projectId]);
    await this.rates.consume(projectId, { bytes });
    this.memory.refuseWhenFull();
    const { chunkId, orders } = await this.commit(facts, span, ordering);
    await this.stored.wait(chunkId);
    return orders;
  }

  private async commit(
    facts: readonly RecordFact[],
    span: Span | undefined,
    { keys, steps }: Ordering = { keys: [], steps: facts.map(() => ({})) },
  ): Promise<{ chunkId: string; orders: Order[] }> {
    const { projectId, receivedAt } = facts[0]!;
    const transaction = await this.queue.begin();
    const chunkId = this.queue.addPayload(transaction, facts);
    const scriptKeys = [this.queue.keys.payload(chunkId), recordClockKey(projectId), ...keys];
    const args = [String(receivedAt), JSON.stringify(steps)];
    transaction.commands.eval(ORDER_FACTS, scriptKeys.length, ...scriptKeys, ...args);
    this.queue.countBytes(transaction, projectLoads(facts, RECORDS_STREAM.sizeOf));
    this.queue.enqueue(transaction, this.queue.queue, chunkId, facts, nowMillis(), span && [span]);
    await transaction.prepare();
    const [, orders] = await transaction.commit();
    return { chunkId, orders: ordersIn(String(orders)) };
  }
}

function ordersIn(reply: string): Order[] {
  if (!reply.startsWith('[')) throw new OrderingRefusedError(reply);
  return readOrders(reply)!;
}
