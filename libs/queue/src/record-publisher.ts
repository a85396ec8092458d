import { Injectable } from '@nestjs/common';
import { HeddleError } from '@app/errors';
import { readOrders, type Order, type RecordFact } from '@app/events';
import { KEY_PREFIX, ProjectRates } from '@app/redis';
import { nowMillis } from '@app/wire';
import { projectLoads } from './chunks.js';
import { QueueMemory } from './queue-memory.js';
import { PLACE_FACTS, type PlacingStep } from './record-order.js';
import { RecordsQueue } from './records-queue.js';
import { RecordsStored } from './records-stored.js';
import { RECORDS_STREAM } from './streams.js';

/** How facts are to be placed: the version hashes they touch, and what each does to them. */
export interface Placing {
  readonly keys: readonly string[];
  readonly steps: readonly PlacingStep[];
}

/** Redis took the chunk but did not place its facts: they never happened. */
export class PlacementRefusedError extends HeddleError {
  readonly code = 'placement_refused';
  constructor(readonly why: string) {
    super(`Facts were not placed: ${why}`);
  }
}

/** string: the seq of the project's last fact. */
const clockKey = (projectId: string): string => `${KEY_PREFIX}:records:clock:${projectId}`;

/** Puts facts about records into their queue, and knows when they can be read. */
@Injectable()
export class RecordPublisher {
  constructor(
    private readonly queue: RecordsQueue,
    private readonly memory: QueueMemory,
    private readonly stored: RecordsStored,
    private readonly rates: ProjectRates,
  ) {}

  /**
   * Resolves when the facts of one project can be read. Rejects with QueueUnavailableError, QueueFullError or RateLimitedError
   * and has accepted nothing, or with WritePendingError and has accepted all of it: sending them again does no harm.
   */
  async publish(facts: readonly RecordFact[], placing?: Placing): Promise<Order[]> {
    if (facts.length === 0) return [];
    const { projectId } = facts[0]!;
    const bytes = facts.reduce((sum, fact) => sum + RECORDS_STREAM.sizeOf(fact), 0);
    await this.rates.take(projectId, { bytes });
    this.memory.refuseWhenFull();
    const { chunkId, orders } = await this.commit(facts, placing);
    await this.stored.wait(chunkId);
    return orders;
  }

  private async commit(
    facts: readonly RecordFact[],
    { keys, steps }: Placing = { keys: [], steps: facts.map(() => ({})) },
  ): Promise<{ chunkId: string; orders: Order[] }> {
    const { projectId, receivedAt } = facts[0]!;
    const transaction = await this.queue.begin();
    const chunkId = this.queue.addPayload(transaction, facts);
    const placed = [this.queue.keys.payload(chunkId), clockKey(projectId), ...keys];
    const args = [String(receivedAt), JSON.stringify(steps)];
    transaction.commands.eval(PLACE_FACTS, placed.length, ...placed, ...args);
    this.queue.countBytes(transaction, projectLoads(facts, RECORDS_STREAM.sizeOf));
    this.queue.enqueue(transaction, this.queue.queue, chunkId, facts, nowMillis());
    const [, places] = await transaction.commit();
    return { chunkId, orders: ordersIn(String(places)) };
  }
}

function ordersIn(places: string): Order[] {
  if (!places.startsWith('[')) throw new PlacementRefusedError(places);
  return readOrders(places)!;
}
