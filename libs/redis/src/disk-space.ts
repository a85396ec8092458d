import { statfs } from 'node:fs/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { RedisConfig } from '@app/config';
import { gauge, type Check } from '@app/observability';
import { DiskFullError } from './queue-errors.js';
import { REDIS_CONFIG } from './redis-config.js';
import { KEY_PREFIX } from './redis-keys.js';

export interface Disk {
  /** `Redis`, or `ClickHouse` with the name of the node. */
  readonly name: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const DEFAULT_SHARE = 0.1;
const SAMPLE_EVERY_MS = 1000;
/** string: the disks that workers found to have too little space, as JSON. */
const LOW_DISKS = `${KEY_PREFIX}:low-disks`;
/** Longer than the time between two reports. Without a worker, writes are accepted again. */
const REPORT_EXPIRES_MS = 6000;
const SEE = 'see docs/operations/disk-full.md';

const FREE = gauge('heddle_disk_free_bytes', 'Free space on a disk of Redis or ClickHouse.', [
  'disk',
]);

/** The free space below which writes are refused. */
export function reserveBytes({ totalBytes }: Disk, minFreeBytes: number): number {
  return minFreeBytes > 0 ? minFreeBytes : Math.min(GIB, totalBytes * DEFAULT_SHARE);
}

/** The disks with too little space. */
export const lowDisks = (disks: readonly Disk[], minFreeBytes: number): Disk[] =>
  disks.filter((disk) => disk.freeBytes < reserveBytes(disk, minFreeBytes));

/** What to tell a client and an operator; undefined when no disk is low. */
export function shortageOf(low: readonly Disk[], minFreeBytes: number): string | undefined {
  if (low.length === 0) return undefined;
  const one = (disk: Disk) =>
    `the disk of ${disk.name} has ${megabytes(disk.freeBytes)} of ${megabytes(disk.totalBytes)} MB free, ` +
    `and writes need ${megabytes(reserveBytes(disk, minFreeBytes))} MB`;
  return low.map(one).join('; ');
}

const megabytes = (bytes: number): number => Math.floor(bytes / MIB);

/** The disk of a directory. */
export async function diskOf(directory: string, name: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { name, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function measure(disks: readonly Disk[]): void {
  for (const { name, freeBytes } of disks) FREE.set({ disk: name }, freeBytes);
}

type DiskSpaceConfig = Pick<RedisConfig, 'dataDir' | 'minFreeDiskBytes'>;

/**
 * Refuses writes while a disk has too little space: the disk of Redis, if its directory is known, and those of ClickHouse,
 * which the workers report in Redis. The report expires, so that a worker that ended does not stop writes. A timer and not
 * a maintenance job: ingest needs the figures also while no worker runs.
 */
@Injectable()
export class DiskSpace implements OnModuleDestroy {
  private own: readonly Disk[] = [];
  private reported: readonly Disk[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly redis: Redis,
    @Inject(REDIS_CONFIG) private readonly config: DiskSpaceConfig,
  ) {}

  /** Only ingest does: an operator's command, such as `erase`, may use the reserve. Resolves after the first sample. */
  async watch(): Promise<void> {
    this.timer ??= setInterval(() => void this.sample(), SAMPLE_EVERY_MS).unref();
    await this.sample();
  }

  refuseWhenLow(): void {
    const shortage = this.shortage();
    if (shortage === undefined) return;
    throw new DiskFullError(`No writes are accepted until disk space is freed (${shortage}).`);
  }

  /** Readiness: fails while writes are refused. */
  check(): Check {
    return { name: 'disk', problem: () => Promise.resolve(this.problem()) };
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** For workers: measures the disks, and makes every ingest refuse writes for the next seconds when one of them is low. */
  async report(disks: readonly Disk[]): Promise<void> {
    measure(disks);
    this.reported = lowDisks(disks, this.config.minFreeDiskBytes);
    if (this.reported.length === 0) return;
    await this.redis.set(LOW_DISKS, JSON.stringify(this.reported), 'PX', REPORT_EXPIRES_MS);
  }

  private problem(): string | undefined {
    const shortage = this.shortage();
    return shortage === undefined ? undefined : `writes are refused: ${shortage}; ${SEE}`;
  }

  private shortage(): string | undefined {
    const { minFreeDiskBytes } = this.config;
    return shortageOf(
      [...lowDisks(this.own, minFreeDiskBytes), ...this.reported],
      minFreeDiskBytes,
    );
  }

  private async sample(): Promise<void> {
    [this.own, this.reported] = await Promise.all([this.ownDisks(), this.reportedDisks()]);
    measure(this.own);
  }

  /** A directory that cannot be read has no figures. Redis itself reports what is wrong with it. */
  private async ownDisks(): Promise<readonly Disk[]> {
    if (this.config.dataDir === '') return [];
    return diskOf(this.config.dataDir, 'Redis').then(
      (disk) => [disk],
      () => [],
    );
  }

  /** While Redis is unavailable, which has its own error, nothing is reported. */
  private async reportedDisks(): Promise<readonly Disk[]> {
    if (this.redis.status !== 'ready') return [];
    const text = await this.redis.get(LOW_DISKS).catch(() => null);
    return text === null ? [] : (JSON.parse(text) as Disk[]);
  }
}
