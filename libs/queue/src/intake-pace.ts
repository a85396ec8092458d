import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { RedisConfig } from '@app/config';
import { counter } from '@app/observability';
import { Redis, REDIS_CONFIG } from '@app/redis';
import { nowMillis } from '@app/wire';
import { ExpectedWait } from './expected-wait.js';
import { CALLS_STREAM } from './streams.js';

const SAMPLE_EVERY_MS = 100;
/** SDKs wait longer than this for a response. */
const MAX_DELAY_MS = 5000;
/** Without a settled chunk for this long, no worker stores: waiting would not help. */
const IDLE_AFTER_MS = 3000;
/** When workers have caught up, this part of the responses is sent at a time: all clients at once would be too many again. */
const RELEASED_SHARE = 1 / 10;
/** At least this many: a few clients must not wait while workers are idle. */
const RELEASED_MIN = 6;

const DELAYED = counter(
  'heddle_ingest_delayed_requests_total',
  'Requests whose facts were durable and whose response waited because workers were behind.',
);

/** Responses that wait, those that wait longest first. Each has its time when it is sent at the latest. */
export class WaitingResponses {
  private readonly waiting: { readonly latest: number; readonly send: () => void }[] = [];

  get size(): number {
    return this.waiting.length;
  }

  /** Resolves when the response may be sent. */
  add(latest: number): Promise<void> {
    return new Promise((send) => this.waiting.push({ latest, send }));
  }

  /** Sends the responses whose time has come and, when workers have caught up, a part of the others. */
  release(now: number, isCaughtUp: boolean): void {
    const due = this.waiting.findIndex(({ latest }) => latest > now);
    const late = due === -1 ? this.waiting.length : due;
    const share = isCaughtUp ? Math.max(RELEASED_MIN, this.waiting.length * RELEASED_SHARE) : 0;
    for (const { send } of this.waiting.splice(0, Math.ceil(Math.max(late, share)))) send();
  }
}

/**
 * Slows down clients that send the next request after each response, so that facts do not wait for workers without end. It delays responses
 * and refuses nothing. Clients that do not wait for responses are limited by the memory of the queue.
 */
@Injectable()
export class IntakePace implements OnModuleDestroy {
  private isStopping = false;
  private readonly targetMs: number;
  private readonly responses = new WaitingResponses();
  private sampling: Promise<void> | undefined;
  private releasing: Promise<void> | undefined;
  private sampledAt = -Infinity;
  private expected = new ExpectedWait();
  private expectedMs = 0;
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
    if (this.targetMs === 0 || this.isStopping) return;
    if (performance.now() - this.sampledAt >= SAMPLE_EVERY_MS) await this.sampled();
    // Those that wait already come first.
    if (this.isCaughtUp() && this.responses.size === 0) return;
    DELAYED.inc();
    const sent = this.responses.add(performance.now() + MAX_DELAY_MS);
    this.releasing ??= this.releaseAll();
    await sent;
  }

  /** Requests in flight get their responses before the server closes. */
  onModuleDestroy(): void {
    this.isStopping = true;
    this.responses.release(Infinity, true);
  }

  private isCaughtUp(): boolean {
    return this.expectedMs <= this.targetMs;
  }

  private async releaseAll(): Promise<void> {
    while (this.responses.size > 0) {
      await sleep(SAMPLE_EVERY_MS);
      await this.sampled();
      this.responses.release(performance.now(), this.isCaughtUp());
    }
    this.releasing = undefined;
  }

  /** Never rejects and does not wait for long: the write is durable, whatever the state of Redis now. */
  private async sampled(): Promise<void> {
    this.sampling ??= this.sample().catch(() => this.forget());
    await Promise.race([this.sampling, sleep(SAMPLE_EVERY_MS)]);
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
    const lagMs = chunk[1] === undefined || !isStoring ? 0 : nowMillis() - Number(chunk[1]);
    this.expectedMs = this.expected.add(now, lagMs);
    this.sampledAt = now;
    this.sampling = undefined;
  }

  private forget(): void {
    this.expected = new ExpectedWait();
    this.expectedMs = 0;
    this.sampledAt = performance.now();
    this.sampling = undefined;
  }
}
