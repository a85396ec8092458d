import { tmpdir } from 'node:os';
import type { Redis } from 'ioredis';
import { DiskSpace, lowDisks, reserveBytes, shortageOf, type Disk } from './disk-space.js';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

const aDisk = (freeBytes: number, totalBytes: number): Disk => ({
  name: 'ClickHouse ch-1',
  freeBytes,
  totalBytes,
});

describe('the reserve of a disk', () => {
  it('is a tenth of a small disk, and one GiB of a large one', () => {
    expect(reserveBytes(aDisk(0, 2 * GIB), 0)).toBe(0.2 * GIB);
    expect(reserveBytes(aDisk(0, 500 * GIB), 0)).toBe(GIB);
  });

  it('is what the operator has set, whatever the size of the disk', () => {
    expect(reserveBytes(aDisk(0, 2 * GIB), 3 * GIB)).toBe(3 * GIB);
  });

  it('makes a disk low that has less, and no other', () => {
    const disks = [aDisk(GIB - 1, 500 * GIB), aDisk(GIB, 500 * GIB)];

    expect(lowDisks(disks, 0)).toEqual([disks[0]]);
    expect(shortageOf([], 0)).toBeUndefined();
    expect(shortageOf([aDisk(120 * MIB, 500 * GIB)], 0)).toBe(
      'the disk of ClickHouse ch-1 has 120 of 512000 MB free, and writes need 1024 MB',
    );
  });
});

/** A Redis with one key. */
function aRedis() {
  const stored = { text: null as string | null, expiresMs: 0 };
  const redis = {
    status: 'ready',
    get: () => Promise.resolve(stored.text),
    set: (_key: string, text: string, _px: string, expiresMs: number) => {
      Object.assign(stored, { text, expiresMs });
      return Promise.resolve('OK');
    },
  };
  return { stored, redis: redis as unknown as Redis };
}

describe('the space on the disks', () => {
  it('refuses writes while a worker reports a disk of ClickHouse, and names the disk', async () => {
    const { redis, stored } = aRedis();
    const config = { dataDir: '', minFreeDiskBytes: GIB };
    const ingest = new DiskSpace(redis, config);

    await new DiskSpace(redis, config).report([aDisk(5 * MIB, 500 * GIB), aDisk(2 * GIB, 3 * GIB)]);
    await ingest.watch();
    expect(() => ingest.refuseWhenLow()).toThrow(
      'No writes are accepted until disk space is freed (the disk of ClickHouse ch-1 has 5 of 512000 MB free, and writes need 1024 MB).',
    );
    expect(await ingest.check().problem()).toMatch(/^writes are refused: .*disk-full\.md$/);
    expect(stored.expiresMs).toBeGreaterThan(0);
    ingest.onModuleDestroy();
  });

  it('accepts writes when the report has expired', async () => {
    const { redis, stored } = aRedis();
    const ingest = new DiskSpace(redis, { dataDir: '', minFreeDiskBytes: GIB });
    stored.text = JSON.stringify([aDisk(0, GIB)]);
    await ingest.watch();
    expect(() => ingest.refuseWhenLow()).toThrow();

    stored.text = null;
    await ingest.watch();
    expect(() => ingest.refuseWhenLow()).not.toThrow();
    expect(await ingest.check().problem()).toBeUndefined();
    ingest.onModuleDestroy();
  });

  it('measures the disk of Redis when its directory is known', async () => {
    const tooMuch = Number.MAX_SAFE_INTEGER;
    const ingest = new DiskSpace(aRedis().redis, { dataDir: tmpdir(), minFreeDiskBytes: tooMuch });

    await ingest.watch();
    expect(() => ingest.refuseWhenLow()).toThrow('the disk of Redis has ');
    ingest.onModuleDestroy();
  });

  it('does not refuse the writes of a process that does not watch, such as a command that frees space', async () => {
    const { redis, stored } = aRedis();
    stored.text = JSON.stringify([aDisk(0, GIB)]);
    const command = new DiskSpace(redis, { dataDir: tmpdir(), minFreeDiskBytes: 1e15 });

    expect(() => command.refuseWhenLow()).not.toThrow();
  });

  it('reports nothing while every disk has space', async () => {
    const { redis, stored } = aRedis();

    await new DiskSpace(redis, { dataDir: '', minFreeDiskBytes: 0 }).report([aDisk(GIB, GIB)]);
    expect(stored.text).toBeNull();
  });
});
