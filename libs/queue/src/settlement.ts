import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import { jobKey, KEYS, PAYLOAD_PATTERN, payloadKey, type ChunkTicket } from './queue-keys.js';

/**
 * Whoever takes the ticket settles the chunk; everybody else finds nothing to do. So it may be called twice, by a
 * stalled double run or by the reconciler, and still counts once.
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
  if redis.call('HINCRBY', KEYS[4], project, -bytes) <= 0 then redis.call('HDEL', KEYS[4], project) end
end
redis.call('SET', KEYS[5], ARGV[2])
return 1`;

/** Younger chunks are left to the worker that has just completed them. */
const RECONCILE_AFTER_MS = 15_000;
/** A payload without a ticket is younger than this only while its transaction is still on its way. */
const ORPHAN_AFTER_SECONDS = 3600;
const SCAN_COUNT = 1000;

@Injectable()
export class Settlement {
  constructor(private readonly redis: Redis) {}

  /** The chunk's facts are stored and its job is done: forget the payload, and let waiting readers go on. */
  async settle(chunkId: string): Promise<boolean> {
    const { tickets, inflight, ledger, projectBytes, progress } = KEYS;
    const keys = [tickets, inflight, ledger, projectBytes, progress, payloadKey(chunkId)];
    const taken = await this.redis.eval(SETTLE, keys.length, ...keys, chunkId, Date.now());
    return taken === 1;
  }

  /** A chunk without a ticket is: then a second run of its job finds no payload, and nothing is lost. */
  async isSettled(chunkId: string): Promise<boolean> {
    return (await this.redis.hexists(KEYS.tickets, chunkId)) === 0;
  }

  /** 0 when there is none. */
  payloadBytes(chunkId: string): Promise<number> {
    return this.redis.strlen(payloadKey(chunkId));
  }

  payload(chunkId: string): Promise<Buffer | null> {
    return this.redis.getBuffer(payloadKey(chunkId));
  }

  /** Settles chunks whose job is gone: a worker died between completing the job and settling. */
  async reconcile(now: number): Promise<number> {
    const until = String(now - RECONCILE_AFTER_MS);
    const old = await this.redis.zrange(KEYS.inflight, 0, until, 'BYSCORE');
    let settled = 0;
    for (const chunkId of old) {
      if (!(await this.hasJob(chunkId)) && (await this.settle(chunkId))) settled++;
    }
    return settled;
  }

  /** Removes payloads that no ticket names and nobody has touched for an hour; returns how many. */
  async sweepOrphans(): Promise<number> {
    let removed = 0;
    for await (const keys of this.payloadKeys()) {
      for (const key of keys) if (await this.isOrphan(key)) removed += await this.redis.unlink(key);
    }
    return removed;
  }

  private payloadKeys(): AsyncIterable<string[]> {
    return this.redis.scanStream({ match: PAYLOAD_PATTERN, count: SCAN_COUNT });
  }

  private async isOrphan(key: string): Promise<boolean> {
    const chunkId = key.slice(key.lastIndexOf(':') + 1);
    if ((await this.redis.hexists(KEYS.tickets, chunkId)) === 1) return false;
    const idleSeconds = Number(await this.redis.object('IDLETIME', key));
    return idleSeconds > ORPHAN_AFTER_SECONDS;
  }

  private async hasJob(chunkId: string): Promise<boolean> {
    const text = await this.redis.hget(KEYS.tickets, chunkId);
    if (text === null) return false;
    const { queue } = JSON.parse(text) as ChunkTicket;
    return (await this.redis.exists(jobKey(queue, chunkId))) === 1;
  }
}
