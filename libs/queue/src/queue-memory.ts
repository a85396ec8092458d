import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { QueueFullError, Redis, REDIS_CONFIG } from '@app/redis';
import type { RedisConfig } from '@app/config';

const SAMPLE_EVERY_MS = 1000;

/**
 * Measures how full Redis is. At `maxmemory` BullMQ's own scripts fail and workers may not be able to drain the queue, so
 * ingest refuses writes well before. A timer in every process and not a maintenance job: ingest needs the figure also, and
 * most of all, while no worker runs.
 */
@Injectable()
export class QueueMemory implements OnModuleDestroy {
  private usedPercent = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly redis: Redis,
    @Inject(REDIS_CONFIG) private readonly config: Pick<RedisConfig, 'memoryPercent'>,
  ) {
    this.timer = setInterval(() => void this.sample(), SAMPLE_EVERY_MS).unref();
  }

  refuseWhenFull(): void {
    if (this.usedPercent < this.config.memoryPercent) return;
    throw new QueueFullError(
      `The queue is at ${Math.round(this.usedPercent)} % of its memory; it accepts no writes until workers have caught up.`,
    );
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Keeps the last figure while Redis is unavailable, which has its own error. */
  private async sample(): Promise<void> {
    if (this.redis.status !== 'ready') return;
    const info = await this.redis.info('memory').catch(() => '');
    const used = numberIn(info, 'used_memory');
    const limit = numberIn(info, 'maxmemory');
    if (used !== undefined) this.usedPercent = limit ? (used / limit) * 100 : 0;
  }
}

function numberIn(info: string, name: string): number | undefined {
  const text = new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1];
  return text === undefined ? undefined : Number(text);
}
