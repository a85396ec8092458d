import { Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CALLS_QUEUE, jobKey, KEYS, payloadKey } from './queue-keys.js';

/**
 * Whoever takes the ticket settles the chunk; everybody else finds nothing to do. So it may be called twice, by a
 * stalled double run or by the reconciler, and still counts once.
 */
const SETTLE = `
local ticket = redis.call('HGET', KEYS[1], ARGV[1])
if not ticket then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('UNLINK', KEYS[5])
local chunk = cjson.decode(ticket)
for _, key in ipairs(chunk.pending) do redis.call('SREM', key, ARGV[1]) end
local total = 0
for project, count in pairs(chunk.facts) do
  redis.call('HINCRBY', KEYS[3], 'settled:' .. project, count)
  total = total + count
end
redis.call('HINCRBY', KEYS[3], 'settled', total)
redis.call('SET', KEYS[4], ARGV[2])
return 1`;

/** Younger chunks are left to the worker that has just completed them. */
const RECONCILE_AFTER_MS = 15_000;

@Injectable()
export class Settlement {
  constructor(private readonly redis: Redis) {}

  /** The chunk's facts are stored and its job is done: forget the payload, and let waiting readers go on. */
  async settle(chunkId: string): Promise<boolean> {
    const keys = [KEYS.tickets, KEYS.inflight, KEYS.ledger, KEYS.progress, payloadKey(chunkId)];
    const taken = await this.redis.eval(SETTLE, keys.length, ...keys, chunkId, Date.now());
    return taken === 1;
  }

  payload(chunkId: string): Promise<Buffer | null> {
    return this.redis.getBuffer(payloadKey(chunkId));
  }

  /** Settles chunks whose job is gone: a worker died between completing the job and settling. */
  async reconcile(now: number): Promise<number> {
    const old = await this.redis.zrange(
      KEYS.inflight,
      0,
      String(now - RECONCILE_AFTER_MS),
      'BYSCORE',
    );
    let settled = 0;
    for (const chunkId of old) {
      const hasJob = await this.redis.exists(jobKey(CALLS_QUEUE, chunkId));
      if (hasJob === 0 && (await this.settle(chunkId))) settled++;
    }
    return settled;
  }
}
