import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { QueueFullError, Redis, REDIS_CONFIG } from '@app/redis';
import type { RedisConfig } from '@app/config';

const LOOK_EVERY_MS = 1000;

/** Knows how full Redis is. At `maxmemory` BullMQ's own scripts fail and the drain can wedge, so we stop well before. */
@Injectable()
export class QueueMemory implements OnModuleDestroy {
  private usedPercent = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly redis: Redis,
    @Inject(REDIS_CONFIG) private readonly config: Pick<RedisConfig, 'memoryPercent'>,
  ) {
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  refuseWhenFull(): void {
    if (this.usedPercent < this.config.memoryPercent) return;
    throw new QueueFullError(
      `The queue is at ${Math.round(this.usedPercent)} % of its memory; it takes no more until workers have caught up.`,
    );
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** A Redis that does not answer keeps the last figure: being away has its own error. */
  private async look(): Promise<void> {
    if (this.redis.status !== 'ready') return;
    const info = await this.redis.info('memory').catch(() => '');
    const used = figure(info, 'used_memory');
    const limit = figure(info, 'maxmemory');
    if (used !== undefined) this.usedPercent = limit ? (used / limit) * 100 : 0;
  }
}

function figure(info: string, name: string): number | undefined {
  const text = new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1];
  return text === undefined ? undefined : Number(text);
}
