import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import { encodeChunk, factSize, type NewFact } from '@app/events';
import { KEYS, payloadKey, pendingKey, type ChunkTicket } from './queue-keys.js';
import type { QueueTransaction } from './queue-transaction.js';

/** A payload larger than this is cut into several, so that no worker has to hold a huge one. */
const CHUNK_MAX_BYTES = 2 * 1024 * 1024;

export function* chunksOf(facts: readonly NewFact[]): Generator<readonly NewFact[]> {
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
  if (start < facts.length) yield facts.slice(start);
}

/** Everything that one chunk needs in Redis. */
export function addChunk(
  { commands, addJob }: QueueTransaction,
  queue: Queue,
  facts: readonly NewFact[],
  now: number,
): void {
  const chunkId = randomUUID();
  const ticket = ticketOf(queue.name, facts);
  commands.set(payloadKey(chunkId), encodeChunk(facts));
  commands.zadd(KEYS.inflight, now, chunkId);
  commands.hset(KEYS.tickets, { [chunkId]: JSON.stringify(ticket) });
  for (const key of ticket.pending) commands.sadd(key, chunkId);
  for (const [project, count] of Object.entries(ticket.facts)) {
    commands.hincrby(KEYS.ledger, `received:${project}`, count);
  }
  commands.hincrby(KEYS.ledger, 'received', facts.length);
  addJob(queue, chunkId);
}

export function ticketOf(queue: string, facts: readonly NewFact[]): ChunkTicket {
  const pending = new Set<string>();
  // Maps, because a rejected fact may name any project, even "constructor".
  const counts = new Map<string, number>();
  const bytes = new Map<string, number>();
  for (const fact of facts) {
    const { projectId, userId } = fact;
    pending.add(pendingKey(projectId)).add(pendingKey(projectId, userId));
    counts.set(projectId, (counts.get(projectId) ?? 0) + 1);
    bytes.set(projectId, (bytes.get(projectId) ?? 0) + factSize(fact));
  }
  return {
    queue,
    pending: [...pending],
    facts: Object.fromEntries(counts),
    bytes: Object.fromEntries(bytes),
  };
}
