import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { RedisConfig } from '@app/config';
import { counter } from '@app/observability';
import { Redis, REDIS_CONFIG } from '@app/redis';
import { nowMillis } from '@app/wire';
import { IntakeBudget } from './intake-budget.js';
import { CALLS_STREAM } from './streams.js';

const SAMPLE_EVERY_MS = 100;
/** SDKs wait longer than this for a response. */
const MAX_DELAY_MS = 5000;
/** Without a settled chunk for this long, no worker stores: waiting would not help. */
const IDLE_AFTER_MS = 3000;
/** A chunk that is older by this than twice the expected wait was passed by others: it does not delay those that arrive now. */
const STUCK_AFTER_MS = 5000;

const DELAYED = counter(
  'heddle_ingest_delayed_requests_total',
  'Requests whose facts were durable and whose response waited because workers were behind.',
);

interface WaitingResponse {
  readonly facts: number;
  /** When it is sent at the latest. */
  readonly latest: number;
  readonly send: () => void;
}

/** Responses that wait, those that wait longest first. */
export class WaitingResponses {
  private readonly waiting: WaitingResponse[] = [];

  get size(): number {
    return this.waiting.length;
  }

  /** Resolves when the response to a request with these facts may be sent. */
  add(facts: number, latest: number): Promise<void> {
    return new Promise((send) => this.waiting.push({ facts, latest, send }));
  }

  /** Sends the responses whose time has come, and others while the budget allows the next requests of their clients. */
  release(now: number, budget: Pick<IntakeBudget, 'take' | 'expect'>): void {
    const isSent = ({ facts, latest }: WaitingResponse) => {
      if (latest > now) return budget.take(facts);
      budget.expect(facts);
      return true;
    };
    const stays = this.waiting.findIndex((response) => !isSent(response));
    const sent = stays === -1 ? this.waiting.length : stays;
    for (const { send } of this.waiting.splice(0, sent)) send();
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
  private readonly budget: IntakeBudget;
  private readonly responses = new WaitingResponses();
  private sampling: Promise<void> | undefined;
  private releasing: Promise<void> | undefined;
  private sampledAt = -Infinity;
  private pendingChunks = 0;
  private progress: string | null = null;
  private progressAt = -Infinity;

  constructor(
    private readonly redis: Redis,
    @Inject(REDIS_CONFIG) { pendingTargetMs }: Pick<RedisConfig, 'pendingTargetMs'>,
  ) {
    this.targetMs = pendingTargetMs;
    this.budget = new IntakeBudget(pendingTargetMs);
  }

  /** Resolves when the response to a write of these facts, which are durable, may be sent. Never rejects. */
  async keep(facts: number): Promise<void> {
    if (this.targetMs === 0 || this.isStopping) return;
    await this.sampled();
    // Those that wait already come first.
    if (this.responses.size === 0 && this.budget.take(facts)) return;
    DELAYED.inc();
    const sent = this.responses.add(facts, performance.now() + MAX_DELAY_MS);
    this.releasing ??= this.releaseAll();
    await sent;
  }

  /** Requests in flight get their responses before the server closes. */
  onModuleDestroy(): void {
    this.isStopping = true;
    this.responses.release(Infinity, this.budget);
  }

  private async releaseAll(): Promise<void> {
    while (this.responses.size > 0) {
      await sleep(SAMPLE_EVERY_MS);
      await this.sampled();
      this.responses.release(performance.now(), this.budget);
    }
    this.releasing = undefined;
  }

  /** Never rejects and does not wait for long: the write is durable, whatever the state of Redis now. */
  private async sampled(): Promise<void> {
    if (performance.now() - this.sampledAt < SAMPLE_EVERY_MS) return;
    this.sampling ??= this.sample().catch(() => this.forget());
    await Promise.race([this.sampling, sleep(SAMPLE_EVERY_MS)]);
  }

  private async sample(): Promise<void> {
    const { inflight, ledger, progress } = CALLS_STREAM.keys;
    // A few chunks may be stuck for reasons of their own, so the oldest quarter is not considered.
    const rank = Math.floor(this.pendingChunks / 4);
    const isStuckSince = nowMillis() - 2 * this.budget.expectedMs - STUCK_AFTER_MS;
    const [count, chunk, stuck, facts, settledAt] = await Promise.all([
      this.redis.zcard(inflight),
      this.redis.zrange(inflight, rank, String(rank), 'WITHSCORES'),
      this.redis.zcount(inflight, '-inf', isStuckSince),
      this.redis.hmget(ledger, 'received', 'settled'),
      this.redis.get(progress),
    ]);
    const at = performance.now();
    // Compared with itself and not with a clock: that of the worker may be another.
    if (settledAt !== this.progress) [this.progress, this.progressAt] = [settledAt, at];
    this.pendingChunks = count;
    const [received = 0, settled = 0] = facts.map(Number);
    const pending = (received - settled) * (1 - stuck / Math.max(1, count));
    const lagMs = chunk[1] === undefined ? 0 : nowMillis() - Number(chunk[1]);
    if (at - this.progressAt < IDLE_AFTER_MS) this.budget.add({ at, settled, pending, lagMs });
    else this.budget.open();
    this.sampledAt = at;
    this.sampling = undefined;
  }

  private forget(): void {
    this.budget.open();
    this.sampledAt = performance.now();
    this.sampling = undefined;
  }
}
