import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Ledger } from './ledger.js';

const SAMPLE_EVERY_MS = 5000;
const WINDOW_MS = 60_000;

interface Sample {
  readonly atMs: number;
  readonly received: number;
  readonly settled: number;
}

/** Facts about calls per second. */
export interface QueueRate {
  readonly received: number;
  readonly settled: number;
  /** The time over which both are averaged; 0 before the second sample. */
  readonly overMs: number;
}

/** How fast facts arrive and are stored. A timer, because one request cannot see a rate. */
@Injectable()
export class QueueRates implements OnApplicationBootstrap, OnModuleDestroy {
  private samples: readonly Sample[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly ledger: Ledger) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sample(), SAMPLE_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  read(): QueueRate {
    return rateOf(this.samples);
  }

  /** While Redis is unavailable, which has its own error, there is no new sample. */
  private async sample(): Promise<void> {
    const total = await this.ledger.total().catch(() => undefined);
    if (total === undefined) return;
    const atMs = performance.now();
    const recent = this.samples.filter((one) => atMs - one.atMs <= WINDOW_MS);
    this.samples = [...recent, { atMs, received: total.received, settled: total.settled }];
  }
}

/** A Redis that has lost its data counts from zero again. */
export function rateOf(samples: readonly Sample[]): QueueRate {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || first === last)
    return { received: 0, settled: 0, overMs: 0 };
  const overMs = last.atMs - first.atMs;
  const perSecond = (before: number, after: number) =>
    (Math.max(0, after - before) / overMs) * 1000;
  return {
    received: perSecond(first.received, last.received),
    settled: perSecond(first.settled, last.settled),
    overMs,
  };
}
