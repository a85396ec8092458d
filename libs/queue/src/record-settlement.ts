import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import { jobKey } from './queue-keys.js';
import { givenUpKey, RECORD_KEYS, recordPayloadKey, RECORDS_QUEUE } from './record-keys.js';

/** Whoever takes the ticket settles the chunk; a second time there is nothing to do. */
const SETTLE = `
local ticket = redis.call('HGET', KEYS[1], ARGV[1])
if not ticket then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('UNLINK', KEYS[4])
local chunk = cjson.decode(ticket)
for _, key in ipairs(chunk.pending) do redis.call('SREM', key, ARGV[1]) end
local total = 0
for project, count in pairs(chunk.facts) do
  redis.call('HINCRBY', KEYS[3], 'settled:' .. project, count)
  total = total + count
end
redis.call('HINCRBY', KEYS[3], 'settled', total)
redis.call('SET', KEYS[5], ARGV[2])
return 1`;

/** Younger chunks are left to the worker that has just completed them. */
const RECONCILE_AFTER_MS = 15_000;
const GIVEN_UP_SECONDS = 60;

@Injectable()
export class RecordSettlement {
  constructor(private readonly redis: Redis) {}

  /** A chunk without a ticket is: then a second run of its job finds no payload, and nothing is lost. */
  async isSettled(chunkId: string): Promise<boolean> {
    return (await this.redis.hexists(RECORD_KEYS.tickets, chunkId)) === 0;
  }

  payload(chunkId: string): Promise<Buffer | null> {
    return this.redis.getBuffer(recordPayloadKey(chunkId));
  }

  /** The chunk's facts are stored and its job is done: forget the payload, and let the writer be answered. */
  async settle(chunkId: string): Promise<boolean> {
    const { tickets, inflight, ledger, progress } = RECORD_KEYS;
    const keys = [tickets, inflight, ledger, recordPayloadKey(chunkId), progress];
    return (await this.redis.eval(SETTLE, keys.length, ...keys, chunkId, Date.now())) === 1;
  }

  /** The writer, if it still waits, is told so when the chunk settles. */
  async giveUp(chunkId: string, reason: string): Promise<void> {
    await this.redis.set(givenUpKey(chunkId), reason, 'EX', GIVEN_UP_SECONDS);
  }

  /** Settles chunks whose job is gone: a worker died between completing the job and settling. */
  async reconcile(now: number): Promise<number> {
    const before = String(now - RECONCILE_AFTER_MS);
    const old = await this.redis.zrange(RECORD_KEYS.inflight, 0, before, 'BYSCORE');
    let settled = 0;
    for (const chunkId of old) {
      const hasJob = await this.redis.exists(jobKey(RECORDS_QUEUE, chunkId));
      if (hasJob === 0 && (await this.settle(chunkId))) settled++;
    }
    return settled;
  }
}
