import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { freestDisks, Store } from '@app/clickhouse';
import type { RedisConfig } from '@app/config';
import type { DiskRecord } from '@app/contracts';
import { secondsLeft, type MemorySample } from '@app/queue';
import { diskOf, REDIS_CONFIG, reserveBytes, type Disk } from '@app/redis';

const SAMPLE_EVERY_MS = 60_000;
/** Merges free and take space within minutes, so that a short time says little. */
const WINDOW_MS = 3_600_000;

/** The disks of Redis, if its directory is known, and of every node of ClickHouse, with how fast they fill. */
@Injectable()
export class DiskHistory implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly samples = new Map<string, readonly MemorySample[]>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: Store,
    @Inject(REDIS_CONFIG)
    private readonly config: Pick<RedisConfig, 'dataDir' | 'minFreeDiskBytes'>,
  ) {}

  onApplicationBootstrap(): void {
    // A store that is unavailable has its own error, and the next sample follows.
    this.timer = setInterval(() => void this.read().catch(() => undefined), SAMPLE_EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  async read(): Promise<DiskRecord[]> {
    const disks = await this.disks();
    return disks.map((disk) => {
      const { name, freeBytes, totalBytes } = disk;
      const reserve = reserveBytes(disk, this.config.minFreeDiskBytes);
      return {
        name,
        free_bytes: freeBytes,
        total_bytes: totalBytes,
        reserve_bytes: Math.round(reserve),
        seconds_left: secondsLeft(this.sampled(disk), totalBytes - reserve),
      };
    });
  }

  private async disks(): Promise<Disk[]> {
    const { dataDir } = this.config;
    const [nodes, own] = await Promise.all([
      freestDisks(this.store),
      // A directory of another machine cannot be read.
      dataDir === '' ? undefined : diskOf(dataDir, 'Redis').catch(() => undefined),
    ]);
    const stores = nodes.map(({ node, ...disk }) => ({ name: `ClickHouse ${node}`, ...disk }));
    return own === undefined ? stores : [own, ...stores];
  }

  private sampled({ name, freeBytes, totalBytes }: Disk): readonly MemorySample[] {
    const atMs = performance.now();
    const recent = (this.samples.get(name) ?? []).filter((one) => atMs - one.atMs <= WINDOW_MS);
    const samples = [...recent, { atMs, usedBytes: totalBytes - freeBytes }];
    // Requests between two samples of the timer are not kept.
    const last = recent.at(-1);
    if (last === undefined || atMs - last.atMs >= SAMPLE_EVERY_MS / 2)
      this.samples.set(name, samples);
    return samples;
  }
}
