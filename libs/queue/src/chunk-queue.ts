import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { Redis } from '@app/redis';
import type { Millis } from '@app/wire';
import { ticketOf, type ChunkTicket, type Loads } from './chunks.js';
import { jobKey, type StreamKeys } from './queue-keys.js';
import { beginTransaction, type QueueTransaction } from './queue-transaction.js';
import type { Stream, StreamFact } from './streams.js';

/**
 * Whoever takes the ticket settles the chunk; everybody else finds nothing to do. So it may be called twice, by a
 * stalled double run or by the reconciler, and still counts once. `0 - bytes`, because Lua prints the negative of 0 as
 * `-0`, which Redis refuses.
 */
const SETTLE = `
local ticket = redis.call('HGET', KEYS[1], ARGV[1])
if not ticket then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('UNLINK', KEYS[6])
local chunk = cjson.decode(ticket)
for _, key in ipairs(chunk.pending) do redis.call('SREM', key, ARGV[1]) end
local total = 0
for project, count in pairs(chunk.facts) do
  redis.call('HINCRBY', KEYS[3], 'settled:' .. project, count)
  total = total + count
end
redis.call('HINCRBY', KEYS[3], 'settled', total)
for project, bytes in pairs(chunk.bytes) do
  if redis.call('HINCRBY', KEYS[4], project, 0 - bytes) <= 0 then redis.call('HDEL', KEYS[4], project) end
end
redis.call('SET', KEYS[5], ARGV[2])
return 1`;

/** Younger chunks are left to the worker that has just completed them. */
const RECONCILE_AFTER_MS = 15_000;
/** A payload without a ticket is younger than this only while its transaction is still on its way. */
const ORPHAN_AFTER_SECONDS = 3600;
const SCAN_COUNT = 1000;
const REJECTION_SECONDS = 60;

/** One stream of chunks in Redis: how a chunk gets in, how a worker reads it, and how it is settled. */
export abstract class ChunkQueue<Fact extends StreamFact> {
  readonly keys: StreamKeys;

  constructor(
    private readonly redis: Redis,
    readonly stream: Stream<Fact>,
    private readonly queues: readonly [Queue, ...Queue[]],
  ) {
    this.keys = stream.keys;
    // BullMQ would print each failed attempt to connect; our connection logs once that Redis is unavailable.
    for (const queue of queues) queue.on('error', () => undefined);
  }

  begin(): Promise<QueueTransaction> {
    return beginTransaction(this.queues[0], this.redis);
  }

  /** Counts bytes that will be pending. Each project gets one reply, its new sum, in the order of `loads`. */
  countBytes({ commands }: QueueTransaction, loads: Loads): void {
    for (const [project, { bytes }] of loads) {
      commands.hincrby(this.keys.projectBytes, project, bytes);
    }
  }

  /** Adds everything that one chunk needs in Redis. */
  add(transaction: QueueTransaction, queue: Queue, facts: readonly Fact[], now: Millis): void {
    this.enqueue(transaction, queue, this.addPayload(transaction, facts), facts, now);
  }

  /** Returns the id of the new chunk, which has no ticket and no job yet. */
  addPayload({ commands }: QueueTransaction, facts: readonly Fact[]): string {
    const chunkId = randomUUID();
    commands.set(this.keys.payload(chunkId), this.stream.encode(facts));
    return chunkId;
  }

  /** Adds ticket, counts and job of a chunk whose payload is in the transaction already. */
  enqueue(
    { commands, addJob }: QueueTransaction,
    queue: Queue,
    chunkId: string,
    facts: readonly Fact[],
    now: Millis,
  ): void {
    const ticket = ticketOf(this.stream, queue.name, facts);
    commands.zadd(this.keys.inflight, now, chunkId);
    commands.hset(this.keys.tickets, { [chunkId]: JSON.stringify(ticket) });
    for (const key of ticket.pending) commands.sadd(key, chunkId);
    for (const [project, count] of Object.entries(ticket.facts)) {
      commands.hincrby(this.keys.ledger, `received:${project}`, count);
    }
    commands.hincrby(this.keys.ledger, 'received', facts.length);
    addJob(queue, chunkId);
  }

  /** 0 when there is none. */
  payloadBytes(chunkId: string): Promise<number> {
    return this.redis.strlen(this.keys.payload(chunkId));
  }

  payload(chunkId: string): Promise<Buffer | null> {
    return this.redis.getBuffer(this.keys.payload(chunkId));
  }

  /** Also of a chunk that was settled by another run of its job: then a missing payload is no loss. */
  async isSettled(chunkId: string): Promise<boolean> {
    return (await this.redis.hexists(this.keys.tickets, chunkId)) === 0;
  }

  /** The chunk's facts are stored and its job is done: removes the payload, and lets waiting clients go on. */
  async settle(chunkId: string): Promise<boolean> {
    const { tickets, inflight, ledger, projectBytes, progress, payload } = this.keys;
    const keys = [tickets, inflight, ledger, projectBytes, progress, payload(chunkId)];
    const taken = await this.redis.eval(SETTLE, keys.length, ...keys, chunkId, Date.now());
    return taken === 1;
  }

  /** A writer that still waits when the chunk is settled gets this reason. */
  async reject(chunkId: string, reason: string): Promise<void> {
    await this.redis.set(this.keys.rejection(chunkId), reason, 'EX', REJECTION_SECONDS);
  }

  /** Settles chunks whose job is gone: a worker died between completing the job and settling. */
  async reconcile(now: Millis): Promise<number> {
    const until = String(now - RECONCILE_AFTER_MS);
    const old = await this.redis.zrange(this.keys.inflight, 0, until, 'BYSCORE');
    let settled = 0;
    for (const chunkId of old) {
      if (!(await this.hasJob(chunkId)) && (await this.settle(chunkId))) settled++;
    }
    return settled;
  }

  /** Removes payloads that no ticket names and nobody has touched for an hour; returns how many. */
  async sweepOrphans(): Promise<number> {
    let removed = 0;
    const scan = this.redis.scanStream({ match: this.keys.payload('*'), count: SCAN_COUNT });
    for await (const keys of scan as AsyncIterable<string[]>) {
      for (const key of keys) if (await this.isOrphan(key)) removed += await this.redis.unlink(key);
    }
    return removed;
  }

  private async isOrphan(key: string): Promise<boolean> {
    const chunkId = key.slice(key.lastIndexOf(':') + 1);
    if (!(await this.isSettled(chunkId))) return false;
    const idleSeconds = Number(await this.redis.object('IDLETIME', key));
    return idleSeconds > ORPHAN_AFTER_SECONDS;
  }

  private async hasJob(chunkId: string): Promise<boolean> {
    const text = await this.redis.hget(this.keys.tickets, chunkId);
    if (text === null) return false;
    const { queue } = JSON.parse(text) as ChunkTicket;
    return (await this.redis.exists(jobKey(queue, chunkId))) === 1;
  }
}
