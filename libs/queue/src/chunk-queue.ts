import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import { traceparentsOf, type Span } from '@app/observability';
import type { Redis, WriteGuard } from '@app/redis';
import type { Millis } from '@app/wire';
import { pendingChunkOf, type Loads, type PendingChunk } from './chunks.js';
import { FirstPendingChunks } from './first-pending-chunks.js';
import { addJob, beginTransaction, repliesOf, type QueueTransaction } from './queue-transaction.js';
import { jobKey, KEYS, type Stream, type StreamFact, type StreamKeys } from './streams.js';

/**
 * Settles a chunk if its entry exists, and deletes the entry. So a chunk counts once, even if a second run of its job or
 * the reconciler settles it again. Uses `0 - bytes`, because Lua prints `-0` for the negative of 0, which Redis refuses.
 */
const SETTLE = `
local entry = redis.call('HGET', KEYS[1], ARGV[1])
if not entry then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('UNLINK', KEYS[6])
local chunk = cjson.decode(entry)
for _, key in ipairs(chunk.pendingWrites or {}) do redis.call('ZREM', key, ARGV[1]) end
for _, key in ipairs(chunk.pending or {}) do redis.call('SREM', key, ARGV[1]) end
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

/**
 * Adds a chunk to sorted sets with the next sequence number as its score. A script, because the number is not known when the
 * transaction is sent. Not a time: the clocks of two ingest processes differ, and then a reader could not tell which chunks
 * are older than its read.
 *
 * KEYS: sequence, sorted sets. ARGV: chunk id.
 */
const ADD_PENDING_WRITE = `
local sequence = redis.call('INCR', KEYS[1])
for i = 2, #KEYS do redis.call('ZADD', KEYS[i], sequence, ARGV[1]) end
return sequence`;

/** The reconciler ignores younger chunks, which the worker that completed them will settle. */
const RECONCILE_AFTER_MS = 15_000;
/** A payload that was accessed later may belong to a transaction that is still in progress. */
const ORPHAN_AFTER_SECONDS = 3600;
const SCAN_COUNT = 1000;
const NO_SPANS: readonly Span[] = [];
/** Limits one run of the reconciler to about 20,000 chunks. The next run continues there. */
const RECONCILE_PAGES = 20;
const REJECTION_SECONDS = 60;

/** How many chunks the reconciler has settled and enqueued again. */
interface Reconciled {
  readonly settled: number;
  readonly enqueued: number;
}

/** One stream of chunks in Redis: adds chunks, reads their payloads and settles them. */
export abstract class ChunkQueue<Fact extends StreamFact> {
  readonly keys: StreamKeys;
  private readonly first: FirstPendingChunks;

  constructor(
    private readonly redis: Redis,
    private readonly guard: WriteGuard,
    readonly stream: Stream<Fact>,
    private readonly queues: readonly [Queue, ...Queue[]],
  ) {
    this.keys = stream.keys;
    this.first = new FirstPendingChunks(redis, stream.keys, queues[0].name);
    // BullMQ would log each failed attempt to connect. The connection itself logs once that Redis is unavailable.
    for (const queue of queues) queue.on('error', () => undefined);
  }

  /** Rejects unless Redis keeps what it acknowledges. */
  async begin(): Promise<QueueTransaction> {
    await this.guard.requireWritable();
    return beginTransaction(this.queues[0], this.redis, this.guard);
  }

  /** Adds to the pending bytes of each project. The replies are the new sums, in the order of `loads`. */
  countBytes({ commands }: QueueTransaction, loads: Loads): void {
    for (const [project, { bytes }] of loads) {
      commands.hincrby(this.keys.projectBytes, project, bytes);
    }
  }

  /** Adds all commands for one chunk to the transaction. */
  add(
    transaction: QueueTransaction,
    queue: Queue,
    facts: readonly Fact[],
    now: Millis,
    spans?: readonly Span[],
  ): void {
    this.enqueue(transaction, queue, this.addPayload(transaction, facts), facts, now, spans);
  }

  /** Adds only the payload of a new chunk; `enqueue` must follow. Returns the id of the chunk. */
  addPayload({ setBytes }: QueueTransaction, facts: readonly Fact[]): string {
    const chunkId = randomUUID();
    setBytes(this.keys.payload(chunkId), this.stream.encode(facts));
    return chunkId;
  }

  /** Adds pending entry, counts and job of a chunk whose payload is in the transaction already. The job carries the traces of `spans`. */
  enqueue(
    { commands, addJob }: QueueTransaction,
    queue: Queue,
    chunkId: string,
    facts: readonly Fact[],
    now: Millis,
    spans: readonly Span[] = NO_SPANS,
  ): void {
    const chunk = pendingChunkOf(this.stream, queue.name, facts);
    commands.zadd(this.keys.inflight, now, chunkId);
    commands.hset(this.keys.pendingChunks, { [chunkId]: JSON.stringify(chunk) });
    const keys = [KEYS.writeSequence, ...chunk.pendingWrites];
    commands.eval(ADD_PENDING_WRITE, keys.length, ...keys, chunkId);
    for (const [project, count] of Object.entries(chunk.facts)) {
      commands.hincrby(this.keys.ledger, `received:${project}`, count);
    }
    commands.hincrby(this.keys.ledger, 'received', facts.length);
    if (spans.length === 0) addJob(queue, chunkId);
    else addJob(queue, chunkId, { traceparents: traceparentsOf(spans) });
  }

  /** 0 when the payload does not exist. */
  payloadBytes(chunkId: string): Promise<number> {
    return this.redis.strlen(this.keys.payload(chunkId));
  }

  payload(chunkId: string): Promise<Buffer | null> {
    return this.redis.getBuffer(this.keys.payload(chunkId));
  }

  /** Another run of the job may have settled the chunk. Then its missing payload is not lost data. */
  async isSettled(chunkId: string): Promise<boolean> {
    if ((await this.redis.hexists(this.keys.pendingChunks, chunkId)) === 1) return false;
    return !(await this.first.has(chunkId));
  }

  /** Call this when the facts are stored and the job is completed. Resolves to false if the chunk was settled before. */
  async settle(chunkId: string): Promise<boolean> {
    if (await this.settleEntry(chunkId)) return true;
    return (await this.first.adopt(chunkId)) && this.settleEntry(chunkId);
  }

  /** Gives the reason to a client that waits for the chunk to be settled. */
  async reject(chunkId: string, reason: string): Promise<void> {
    await this.redis.set(this.keys.rejection(chunkId), reason, 'EX', REJECTION_SECONDS);
  }

  /**
   * Finds chunks without a job. A worker has stored such a chunk and died before settling it, or a publisher died before
   * adding its job. A chunk with a payload is enqueued again, because storing it twice is safe and never storing it is not.
   * A run examines a bounded number of chunks, and the next one, in whatever worker, continues after them.
   */
  async reconcile(now: Millis): Promise<Reconciled> {
    await this.first.adoptAll();
    const { inflight, reconcileCursor } = this.keys;
    const reconciled = { settled: 0, enqueued: 0 };
    let cursor = (await this.redis.get(reconcileCursor)) ?? FIRST_CURSOR;
    for (let page = 0; page < RECONCILE_PAGES; page++) {
      const [next, members] = await this.redis.zscan(inflight, cursor, 'COUNT', SCAN_COUNT);
      const old = membersUntil(members, now - RECONCILE_AFTER_MS);
      for (const chunkId of await this.withoutJob(old)) {
        const outcome = await this.reconcileChunk(chunkId);
        if (outcome !== undefined) reconciled[outcome]++;
      }
      cursor = next;
      if (cursor === FIRST_CURSOR) break;
    }
    if (cursor === FIRST_CURSOR) await this.redis.del(reconcileCursor);
    else await this.redis.set(reconcileCursor, cursor);
    return reconciled;
  }

  /** Removes payloads of no pending chunk that were not accessed for an hour. Resolves to their number. */
  async sweepOrphans(): Promise<number> {
    let removed = 0;
    const scan = this.redis.scanStream({ match: this.keys.payload('*'), count: SCAN_COUNT });
    for await (const keys of scan as AsyncIterable<string[]>) {
      for (const key of await this.notInflight(keys)) {
        if (await this.isOrphan(key)) removed += await this.redis.unlink(key);
      }
    }
    return removed;
  }

  private async settleEntry(chunkId: string): Promise<boolean> {
    const { pendingChunks, inflight, ledger, projectBytes, progress, payload } = this.keys;
    const keys = [pendingChunks, inflight, ledger, projectBytes, progress, payload(chunkId)];
    const settled = await this.redis.eval(SETTLE, keys.length, ...keys, chunkId, Date.now());
    return settled === 1;
  }

  /** Those of the payloads whose chunk is not pending: a few at most, of a page of pending ones. */
  private async notInflight(payloads: readonly string[]): Promise<string[]> {
    if (payloads.length === 0) return [];
    const scores = await this.redis.zmscore(this.keys.inflight, ...payloads.map(chunkOf));
    return payloads.filter((_, i) => scores[i] === null);
  }

  private async isOrphan(key: string): Promise<boolean> {
    if (!(await this.isSettled(chunkOf(key)))) return false;
    const idleSeconds = Number(await this.redis.object('IDLETIME', key));
    return idleSeconds > ORPHAN_AFTER_SECONDS;
  }

  /** Those of the chunks that have a job in none of the queues. One round trip, because almost all have one. */
  private async withoutJob(chunkIds: readonly string[]): Promise<string[]> {
    const pipeline = this.redis.pipeline();
    for (const chunkId of chunkIds) {
      pipeline.exists(this.queues.map(({ name }) => jobKey(name, chunkId)));
    }
    const { values: jobs } = repliesOf(await pipeline.exec());
    return chunkIds.filter((_, i) => jobs[i] === 0);
  }

  /** Resolves to undefined if the chunk of a missing job was settled meanwhile. */
  private async reconcileChunk(chunkId: string): Promise<keyof Reconciled | undefined> {
    const queue = await this.queueOf(chunkId);
    if (queue === undefined) return undefined;
    if ((await this.payloadBytes(chunkId)) > 0) {
      await addJob(queue, chunkId);
      return 'enqueued';
    }
    return (await this.settle(chunkId)) ? 'settled' : undefined;
  }

  private async queueOf(chunkId: string): Promise<Queue | undefined> {
    const text = await this.redis.hget(this.keys.pendingChunks, chunkId);
    if (text === null) return undefined;
    const { queue: name } = JSON.parse(text) as PendingChunk;
    return this.queues.find((queue) => queue.name === name);
  }
}

/** Of ZSCAN, before the first page and after the last. */
const FIRST_CURSOR = '0';

/** The members of a ZSCAN reply, `[member, score, …]`, with at most this score. */
function membersUntil(reply: readonly string[], maxScore: number): string[] {
  return reply.filter((_, i) => i % 2 === 0 && Number(reply[i + 1]) <= maxScore);
}

const chunkOf = (payloadKey: string): string => payloadKey.slice(payloadKey.lastIndexOf(':') + 1);
