import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectQueue } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import { Redis, ProjectRates, queueError } from '@app/redis';
import { encodeRecords, readOrders, type Order, type RecordFact } from '@app/events';
import { pendingKey } from './queue-keys.js';
import { QueueMemory } from './queue-memory.js';
import { beginTransaction } from './queue-transaction.js';
import {
  clockKey,
  RECORD_KEYS,
  recordPayloadKey,
  RECORDS_QUEUE,
  type RecordTicket,
} from './record-keys.js';
import { PLACE_FACTS, type PlacingStep } from './record-order.js';
import { RecordsStored } from './records-stored.js';

/** How facts are to be placed: the version hashes they touch, and what each does to them. */
export interface Placing {
  readonly keys: readonly string[];
  readonly steps: readonly PlacingStep[];
}

/** Redis took the chunk but did not place its facts: they never happened. */
export class PlacementRefusedError extends Error {
  override readonly name = 'PlacementRefusedError';
  constructor(readonly why: string) {
    super(`Facts were not placed: ${why}`);
  }
}

/** Puts facts about records into their queue, and knows when they can be read. */
@Injectable()
export class RecordPublisher {
  constructor(
    @InjectQueue(RECORDS_QUEUE) private readonly queue: Queue,
    private readonly memory: QueueMemory,
    private readonly stored: RecordsStored,
    private readonly redis: Redis,
    private readonly rates: ProjectRates,
  ) {}

  /**
   * Resolves when the facts of one project can be read. Rejects with QueueUnavailableError, QueueFullError or RateLimitedError and has kept nothing, or with
   * WritePendingError and has kept all of it: sending them again does no harm.
   */
  async publish(facts: readonly RecordFact[], placing?: Placing): Promise<Order[]> {
    if (facts.length === 0) return [];
    const bytes = facts.reduce((sum, { body }) => sum + body.length, 0);
    await this.rates.take(facts[0]!.projectId, { bytes });
    const { chunkId, orders } = await this.enqueue(facts, placing);
    await this.stored.wait(chunkId);
    return orders;
  }

  private async enqueue(
    facts: readonly RecordFact[],
    { keys, steps }: Placing = { keys: [], steps: facts.map(() => ({})) },
  ): Promise<{ chunkId: string; orders: Order[] }> {
    this.memory.refuseWhenFull();
    const chunkId = randomUUID();
    const { projectId, receivedAt } = facts[0]!;
    const payload = recordPayloadKey(chunkId);
    const placed = [payload, clockKey(projectId), ...keys];
    try {
      const { commands, addJob, commit } = await beginTransaction(this.queue, this.redis);
      commands.set(payload, encodeRecords(facts));
      const args = [String(receivedAt), JSON.stringify(steps)];
      commands.eval(PLACE_FACTS, placed.length, ...placed, ...args);
      addTicket(commands, chunkId, facts);
      addJob(this.queue, chunkId);
      const [, answer] = await commit();
      return { chunkId, orders: ordersIn(String(answer)) };
    } catch (error) {
      throw error instanceof PlacementRefusedError ? error : queueError(error);
    }
  }
}

type Commands = Awaited<ReturnType<typeof beginTransaction>>['commands'];

function addTicket(commands: Commands, chunkId: string, facts: readonly RecordFact[]): void {
  const { projectId, userId } = facts[0]!;
  const pending = pendingKey(projectId, userId);
  const ticket: RecordTicket = { pending: [pending], facts: { [projectId]: facts.length } };
  commands.zadd(RECORD_KEYS.inflight, Date.now(), chunkId);
  commands.hset(RECORD_KEYS.tickets, { [chunkId]: JSON.stringify(ticket) });
  commands.sadd(pending, chunkId);
  commands.hincrby(RECORD_KEYS.ledger, `received:${projectId}`, facts.length);
  commands.hincrby(RECORD_KEYS.ledger, 'received', facts.length);
}

function ordersIn(answer: string): Order[] {
  if (!answer.startsWith('[')) throw new PlacementRefusedError(answer);
  return readOrders(answer)!;
}
