import { once } from 'node:events';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getQueueToken } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import { readConfig, type RedisConfig } from '@app/config';
import { createLogger, metrics } from '@app/observability';
import {
  AuditTrail,
  CALLS_QUEUES,
  CallsQueue,
  FactPublisher,
  Ledger,
  PendingWrites,
  QueueModule,
  RecordPublisher,
  RecordsQueue,
  STREAM_KEYS,
} from '@app/queue';
import { KEY_PREFIX, Redis, RedisModule, WriteGuard, type RedisUse } from '@app/redis';

/** The address of a database in the Redis that the int project has started; each file uses another number. */
export const theRedis = (database: number): string => `${process.env['REDIS_URL']}/${database}`;

export const NO_LIMITS = {
  maxPendingBytes: 0,
  maxNewPerHour: 0,
  maxRejectedPerHour: 0,
  maxFactsPerSecond: 0,
  maxRequestsPerSecond: 0,
  maxBytesPerSecond: 0,
};

export type OpenQueue = Awaited<ReturnType<typeof openQueue>>;

/** The queue with its connection, as a process opens it. */
export async function openQueue(
  url: string,
  {
    use = 'producer',
    isThere = true,
    ...fields
  }: Partial<RedisConfig> & { use?: RedisUse; isThere?: boolean } = {},
) {
  const config = {
    ...readConfig({}).redis,
    url,
    allowNonDurable: false,
    memoryPercent: 75,
    limits: NO_LIMITS,
    ...fields,
  };
  // A process registers its gauges once; a test may open several queues.
  metrics.clear();
  const context: INestApplicationContext = await NestFactory.createApplicationContext(
    {
      module: class TestQueue {},
      imports: [RedisModule.register(config, use, createLogger('test', 'error')), QueueModule],
    },
    { logger: false, abortOnError: false },
  );
  const redis = context.get(Redis);
  if (isThere && redis.status !== 'ready') await once(redis, 'ready');
  return {
    redis,
    publisher: context.get(FactPublisher),
    calls: context.get(CallsQueue),
    recordPublisher: context.get(RecordPublisher),
    records: context.get(RecordsQueue),
    pending: context.get(PendingWrites),
    ledger: context.get(Ledger),
    audit: context.get(AuditTrail),
    guard: context.get(WriteGuard),
    fast: context.get<Queue>(getQueueToken(CALLS_QUEUES.fast), { strict: false }),
    bulk: context.get<Queue>(getQueueToken(CALLS_QUEUES.bulk), { strict: false }),
    close: () => context.close(),
  };
}

/** The counts in Redis: facts received, facts pending, and the numbers of pending chunks, payloads and jobs. */
export async function countsInRedis(redis: Redis) {
  const pendingChunks = Object.values(await redis.hgetall(STREAM_KEYS.calls.pendingChunks)).map(
    (chunk) => JSON.parse(chunk) as { facts: Record<string, number> },
  );
  const keys = async (pattern: string) => (await redis.keys(`${KEY_PREFIX}:${pattern}`)).length;
  return {
    received: Number((await redis.hget(STREAM_KEYS.calls.ledger, 'received')) ?? 0),
    pending: pendingChunks.flatMap(({ facts }) => Object.values(facts)).reduce((a, b) => a + b, 0),
    pendingChunks: pendingChunks.length,
    inflight: await redis.zcard(STREAM_KEYS.calls.inflight),
    payloads: await keys('payload:*'),
    jobs: await keys('calls-*:????????-*'),
  };
}

/** The counts after `facts` were published in `chunks` chunks and none was stored. */
export const countsOf = (chunks: number, facts: number) => ({
  received: facts,
  pending: facts,
  pendingChunks: chunks,
  inflight: chunks,
  payloads: chunks,
  jobs: chunks,
});
