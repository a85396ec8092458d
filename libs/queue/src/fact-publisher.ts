import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectQueue } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import { encodeChunk, factSize, type NewFact } from '@app/events';
import { CALLS_QUEUE, KEYS, payloadKey, pendingKey, type ChunkTicket } from './queue-keys.js';
import { QueueMemory } from './queue-memory.js';
import { queueProblem } from './queue-problems.js';
import { beginTransaction, type QueueTransaction } from './queue-transaction.js';

/** A payload larger than this is cut into several, so that no worker has to hold a huge one. */
const CHUNK_MAX_BYTES = 2 * 1024 * 1024;
/** Stops gathering when one transaction has this much to carry. */
const COMMIT_MAX_BYTES = 8 * 1024 * 1024;
/** While these are on their way to Redis, later requests gather for the next: group commit. */
const COMMITS_IN_FLIGHT = 2;

interface Waiting {
  readonly facts: readonly NewFact[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Puts facts into the queue; concurrent requests share a transaction, and with it the fsync. */
@Injectable()
export class FactPublisher {
  private readonly waiting: Waiting[] = [];
  private inFlight = 0;

  constructor(
    @InjectQueue(CALLS_QUEUE) private readonly queue: Queue,
    private readonly memory: QueueMemory,
  ) {}

  /** Resolves when Redis has the facts on disk. Rejects with QueueAway or QueueFull, and then has kept none. */
  publish(facts: readonly NewFact[]): Promise<void> {
    if (facts.length === 0) return Promise.resolve();
    this.memory.refuseWhenFull();
    const bytes = facts.reduce((sum, fact) => sum + factSize(fact), 0);
    return new Promise((resolve, reject) => {
      this.waiting.push({ facts, bytes, resolve, reject });
      this.commitWaiting();
    });
  }

  private commitWaiting(): void {
    if (this.waiting.length === 0 || this.inFlight >= COMMITS_IN_FLIGHT) return;
    const requests = this.takeWaiting();
    this.inFlight++;
    this.commit(requests.flatMap(({ facts }) => facts))
      .then(
        () => requests.forEach(({ resolve }) => resolve()),
        (error: unknown) => requests.forEach(({ reject }) => reject(queueProblem(error))),
      )
      .finally(() => {
        this.inFlight--;
        this.commitWaiting();
      });
  }

  private takeWaiting(): Waiting[] {
    let bytes = 0;
    const fits = this.waiting.findIndex((request) => (bytes += request.bytes) > COMMIT_MAX_BYTES);
    return this.waiting.splice(0, fits === -1 ? this.waiting.length : Math.max(fits, 1));
  }

  /** Payload, job, pending marks and counts of all chunks: all of it or none. */
  private async commit(facts: readonly NewFact[]): Promise<void> {
    const transaction = await beginTransaction(this.queue);
    for (const chunk of chunksOf(facts)) addChunk(transaction, chunk);
    await transaction.commit();
  }
}

function addChunk({ commands, addJob }: QueueTransaction, facts: readonly NewFact[]): void {
  const chunkId = randomUUID();
  const ticket = ticketOf(facts);
  commands.set(payloadKey(chunkId), encodeChunk(facts));
  commands.zadd(KEYS.inflight, Date.now(), chunkId);
  commands.hset(KEYS.tickets, { [chunkId]: JSON.stringify(ticket) });
  for (const key of ticket.pending) commands.sadd(key, chunkId);
  for (const [project, count] of Object.entries(ticket.facts)) {
    commands.hincrby(KEYS.ledger, `received:${project}`, count);
  }
  commands.hincrby(KEYS.ledger, 'received', facts.length);
  addJob(chunkId);
}

function ticketOf(facts: readonly NewFact[]): ChunkTicket {
  const pending = new Set(facts.map(({ projectId, userId }) => pendingKey(projectId, userId)));
  const counts: Record<string, number> = {};
  for (const { projectId } of facts) counts[projectId] = (counts[projectId] ?? 0) + 1;
  return { pending: [...pending], facts: counts };
}

function* chunksOf(facts: readonly NewFact[]): Generator<readonly NewFact[]> {
  let start = 0;
  let bytes = 0;
  for (const [index, fact] of facts.entries()) {
    const size = factSize(fact);
    if (index > start && bytes + size > CHUNK_MAX_BYTES) {
      yield facts.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += size;
  }
  yield facts.slice(start);
}
