import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { QueueFullError, Redis, REDIS_CONFIG } from '@app/redis';
import type { RedisConfig } from '@app/config';
import { collectedGauges, type Check } from '@app/observability';
import { secondsLeft, type MemorySample } from './queue-seconds-left.js';

const SAMPLE_EVERY_MS = 1000;
/** The time over which the growth is averaged. */
const WINDOW_MS = 60_000;
/** Readiness reports a queue that is full sooner than this. */
const REPORT_BELOW_SECONDS = 600;

/**
 * Measures how full Redis is. At `maxmemory` BullMQ's own scripts fail and workers may not be able to drain the queue, so
 * ingest refuses writes well before. A timer in every process and not a maintenance job: ingest needs the figure also, and
 * most of all, while no worker runs.
 */
@Injectable()
export class QueueMemory implements OnApplicationBootstrap, OnModuleDestroy {
  /** The samples of the window, the oldest first. */
  private samples: readonly MemorySample[] = [];
  /** Redis's `maxmemory`; 0 is no limit. */
  private limitBytes = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly redis: Redis,
    @Inject(REDIS_CONFIG) private readonly config: Pick<RedisConfig, 'memoryPercent'>,
  ) {
    this.timer = setInterval(() => void this.sample(), SAMPLE_EVERY_MS).unref();
  }

  onApplicationBootstrap(): void {
    collectedGauges(
      {
        heddle_queue_seconds_left:
          'Seconds for which the queue accepts writes if its memory grows as in the last minute; at most 86400.',
        heddle_queue_memory_bytes: 'Memory that Redis uses, nearly all of it for the queue.',
        heddle_queue_memory_limit_bytes: 'Memory limit of Redis; 0 is no limit.',
      },
      async () => ({
        heddle_queue_seconds_left: this.secondsLeft(),
        heddle_queue_memory_bytes: this.samples.at(-1)?.usedBytes ?? 0,
        heddle_queue_memory_limit_bytes: this.limitBytes,
      }),
    );
  }

  refuseWhenFull(): void {
    const usedPercent = this.usedPercent();
    if (usedPercent < this.config.memoryPercent) return;
    throw new QueueFullError(
      `The queue is at ${Math.round(usedPercent)} % of its memory; it accepts no writes until workers have caught up.`,
    );
  }

  /** For how many seconds writes are accepted if memory grows as in the last minute; at most one day. */
  secondsLeft(): number {
    return secondsLeft(this.samples, this.usage().refusedAtBytes ?? Infinity);
  }

  /** Bytes in use, and the bytes at which writes are refused; undefined when Redis has no limit. */
  usage(): { readonly usedBytes: number; readonly refusedAtBytes: number | undefined } {
    const refusedAtBytes =
      this.limitBytes === 0 ? undefined : (this.limitBytes * this.config.memoryPercent) / 100;
    return { usedBytes: this.samples.at(-1)?.usedBytes ?? 0, refusedAtBytes };
  }

  /** Readiness: reports in advance that the queue will be full, while the process stays ready. */
  check(): Check {
    return {
      name: 'queue memory',
      isAdvisory: true,
      problem: () => Promise.resolve(this.notice()),
    };
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private notice(): string | undefined {
    const seconds = this.secondsLeft();
    if (seconds >= REPORT_BELOW_SECONDS) return undefined;
    const used = `${Math.round(this.usedPercent())} % of Redis's memory is used`;
    return seconds === 0
      ? `${used}; writes are refused until workers have caught up`
      : `${used}; writes are accepted for about ${seconds} s more at the current rate`;
  }

  private usedPercent(): number {
    const used = this.samples.at(-1)?.usedBytes ?? 0;
    return this.limitBytes === 0 ? 0 : (used / this.limitBytes) * 100;
  }

  /** Keeps the last figure while Redis is unavailable, which has its own error. */
  private async sample(): Promise<void> {
    if (this.redis.status !== 'ready') return;
    const info = await this.redis.info('memory').catch(() => '');
    const usedBytes = numberIn(info, 'used_memory');
    if (usedBytes === undefined) return;
    const atMs = performance.now();
    const recent = this.samples.filter((one) => atMs - one.atMs <= WINDOW_MS);
    this.samples = [...recent, { atMs, usedBytes }];
    this.limitBytes = numberIn(info, 'maxmemory') ?? 0;
  }
}

function numberIn(info: string, name: string): number | undefined {
  const text = new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1];
  return text === undefined ? undefined : Number(text);
}
