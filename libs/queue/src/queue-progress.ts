import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import type { HealthConfig } from '@app/config';
import type { Check } from '@app/observability';
import { nowMillis } from '@app/wire';
import { STREAM_KEYS, type StreamName } from './streams.js';

export interface Progress {
  /** Chunks received and not yet stored. */
  readonly pendingChunks: number;
  /** The one that came first, and its age; '' and 0 when there is none. */
  readonly oldest: string;
  readonly oldestMs: number;
  /** Time since a chunk was last stored; Infinity when none ever was. */
  readonly sinceSettledMs: number;
}

/** How far the workers have come, as anybody with the queue can see it. */
@Injectable()
export class QueueProgress {
  constructor(private readonly redis: Redis) {}

  async read(stream: StreamName = 'calls', now = nowMillis()): Promise<Progress> {
    const keys = STREAM_KEYS[stream];
    const [pendingChunks, oldest, settledAt] = await Promise.all([
      this.redis.zcard(keys.inflight),
      this.redis.zrange(keys.inflight, 0, '0', 'WITHSCORES'),
      this.redis.get(keys.progress),
    ]);
    return {
      pendingChunks,
      oldest: oldest[0] ?? '',
      oldestMs: oldest[1] === undefined ? 0 : Math.max(0, now - Number(oldest[1])),
      sinceSettledMs: settledAt === null ? Infinity : Math.max(0, now - Number(settledAt)),
    };
  }
}

/** Facts are waiting, the oldest for too long, and nothing has been stored for as long: nobody is working. */
export function isStuck(progress: Progress, maxLagMs: number): boolean {
  return progress.oldestMs > maxLagMs && progress.sinceSettledMs > maxLagMs;
}

interface HealthLimits extends HealthConfig {
  /** Also a chunk that stays the oldest while younger ones are stored. No reason to refuse new ones, so only workers look. */
  readonly seesLeft?: boolean;
}

/** Looks again and again. */
class StallDetector {
  private oldest = '';
  private since = 0;

  constructor(
    private readonly progress: QueueProgress,
    private readonly stream: StreamName,
    private readonly limits: HealthLimits,
  ) {}

  async problem(): Promise<string | undefined> {
    const { maxLagMs, seesLeft = false } = this.limits;
    const now = await this.progress.read(this.stream);
    const sameForMs = this.sameFor(now.oldest, performance.now());
    const seconds = Math.round(now.oldestMs / 1000);
    const wait = `${now.pendingChunks} chunks wait, the oldest for ${seconds} s, and`;
    if (isStuck(now, maxLagMs)) return `${wait} no worker stores any`;
    const isLeft = seesLeft && now.oldestMs > maxLagMs && sameForMs > maxLagMs;
    return isLeft ? `${wait} others are stored, but not ${now.oldest}` : undefined;
  }

  private sameFor(oldest: string, now: number): number {
    if (oldest !== this.oldest) [this.oldest, this.since] = [oldest, now];
    return now - this.since;
  }
}

/** Redis answers, and somebody is storing what it holds. */
export function queueChecks(progress: QueueProgress, limits: HealthLimits): Check[] {
  const [calls, records] = (['calls', 'records'] as const).map(
    (stream) => new StallDetector(progress, stream, limits),
  );
  return [
    { name: 'queue', problem: () => progress.read().then(() => undefined) },
    { name: 'progress', problem: () => calls!.problem() },
    { name: 'progress of records', problem: () => records!.problem() },
  ];
}
