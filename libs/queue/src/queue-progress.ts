import { Injectable } from '@nestjs/common';
import { Redis } from '@app/redis';
import type { HealthConfig } from '@app/config';
import type { Check } from '@app/observability';
import { nowMillis } from '@app/wire';
import { STREAM_KEYS, type StreamName } from './streams.js';

export interface Progress {
  /** Chunks received and not yet settled. */
  readonly pendingChunks: number;
  /** Id and age of the oldest pending chunk; '' and 0 without one. */
  readonly oldest: string;
  readonly oldestMs: number;
  /** Time since a chunk was last settled; Infinity before the first. */
  readonly sinceSettledMs: number;
}

/** Reads from Redis how far the workers have come. */
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

/** Whether the oldest chunk is pending for too long and no chunk was settled for as long, so that no worker is working. */
export function isStuck(progress: Progress, maxLagMs: number): boolean {
  return progress.oldestMs > maxLagMs && progress.sinceSettledMs > maxLagMs;
}

interface HealthLimits extends HealthConfig {
  /** Also report a chunk that stays the oldest while younger ones are stored. Only workers do: ingest can accept writes. */
  readonly reportsSkippedChunks?: boolean;
}

/** Compares successive reads of the progress of one stream. */
class StallDetector {
  private oldest = '';
  private since = 0;

  constructor(
    private readonly progress: QueueProgress,
    private readonly stream: StreamName,
    private readonly limits: HealthLimits,
  ) {}

  async problem(): Promise<string | undefined> {
    const { maxLagMs, reportsSkippedChunks = false } = this.limits;
    const now = await this.progress.read(this.stream);
    const sameForMs = this.sameFor(now.oldest, performance.now());
    const seconds = Math.round(now.oldestMs / 1000);
    const pending = `${now.pendingChunks} chunks are pending, the oldest for ${seconds} s, and`;
    if (isStuck(now, maxLagMs)) return `${pending} no worker stores any`;
    const isSkipped = reportsSkippedChunks && now.oldestMs > maxLagMs && sameForMs > maxLagMs;
    return isSkipped ? `${pending} others are stored, but not ${now.oldest}` : undefined;
  }

  private sameFor(oldest: string, now: number): number {
    if (oldest !== this.oldest) [this.oldest, this.since] = [oldest, now];
    return now - this.since;
  }
}

/** Redis is available, and workers store the pending chunks. */
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
