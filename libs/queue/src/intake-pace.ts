import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { RedisConfig } from '@app/config';
import { counter } from '@app/observability';
import { Redis, REDIS_CONFIG } from '@app/redis';
import { nowMillis } from '@app/wire';
import { CALLS_STREAM } from './streams.js';

const SAMPLE_EVERY_MS = 100;
/** Responses wait this many times as long as the queue is above its target. */
const GAIN = 2;
/** SDKs wait longer than this for a response. */
const MAX_DELAY_MS = 5000;
/** Without a settled chunk for this long, no worker stores: waiting would not help. */
const IDLE_AFTER_MS = 3000;

const DELAYED = counter(
  'heddle_ingest_delayed_requests_total',
  'Requests whose facts were durable and whose response waited because workers were behind.',
);

/** How long the response to a durable write waits when facts are stored `lagMs` after they were received. */
export function delayOf(lagMs: number, targetMs: number): number {
  if (targetMs === 0) return 0;
  return Math.min(Math.max(0, lagMs - targetMs) * GAIN, MAX_DELAY_MS);
}

/**
 * Slows down clients that send the next request after each response, so that facts do not wait for workers without end. It delays responses
 * and refuses nothing. Clients that do not wait for responses are limited by the memory of the queue.
 */
@Injectable()
export class IntakePace implements OnModuleDestroy {
  private readonly stopping = new AbortController();
  private readonly targetMs: number;
  private sampling: Promise<void> | undefined;
  private sampledAt = -Infinity;
  private lagMs = 0;
  private pendingChunks = 0;
  private progress: string | null = null;
  private progressAt = -Infinity;

  constructor(
    private readonly redis: Redis,
    @Inject(REDIS_CONFIG) { pendingTargetMs }: Pick<RedisConfig, 'pendingTargetMs'>,
  ) {
    this.targetMs = pendingTargetMs;
  }

  /** Resolves when the response to a write that is durable may be sent. Never rejects. */
  async keep(): Promise<void> {
    if (this.targetMs === 0 || this.stopping.signal.aborted) return;
    if (performance.now() - this.sampledAt >= SAMPLE_EVERY_MS)
      // The write is durable, whatever the state of Redis now.
      await (this.sampling ??= this.sample().catch(() => this.forget()));
    const delayMs = delayOf(this.lagMs, this.targetMs);
    if (delayMs < 1) return;
    DELAYED.inc();
    await sleep(delayMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  /** Requests in flight get their responses before the server closes. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }

  private async sample(): Promise<void> {
    const { inflight, progress } = CALLS_STREAM.keys;
    // A few chunks may be stuck for reasons of their own, so the oldest quarter is not considered.
    const rank = Math.floor(this.pendingChunks / 4);
    const [count, chunk, settled] = await Promise.all([
      this.redis.zcard(inflight),
      this.redis.zrange(inflight, rank, String(rank), 'WITHSCORES'),
      this.redis.get(progress),
    ]);
    const now = performance.now();
    // Compared with itself and not with a clock: that of the worker may be another.
    if (settled !== this.progress) [this.progress, this.progressAt] = [settled, now];
    const isStoring = now - this.progressAt < IDLE_AFTER_MS;
    this.pendingChunks = count;
    this.lagMs = chunk[1] === undefined || !isStoring ? 0 : nowMillis() - Number(chunk[1]);
    this.sampledAt = now;
    this.sampling = undefined;
  }

  private forget(): void {
    this.lagMs = 0;
    this.sampledAt = performance.now();
    this.sampling = undefined;
  }
}
