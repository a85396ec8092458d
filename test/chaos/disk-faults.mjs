import { execFile } from 'node:child_process';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lasting } from './lasting.mjs';
import { mountSmallDisk, whyNoSmallDisk } from '../support/small-disk.mjs';

/** ClickHouse needs some of the free space while this much of it is taken. */
const MOST = 0.9;

/** A disk in memory for ClickHouse, or `{ reason }` when this machine cannot have one. */
export function clickHouseDisk(bytes) {
  const reason =
    freemem() < 1.5 * bytes ? `it needs ${1.5 * bytes} bytes of free memory` : whyNoSmallDisk();
  return reason === undefined ? { disk: mountSmallDisk({ bytes }) } : { reason };
}

/**
 * The disk of ClickHouse is full for a while. Clients must get 503 while there is no space. Afterwards ClickHouse is started
 * again, as the supervisor of `npm start` does.
 */
export function diskFull(faults, disk, ms) {
  const { server, writer, busy } = faults;
  return faults.fault(`disk of ClickHouse full, ${Math.round(ms / 1000)} s`, async () => {
    busy.add(server.clickhouse);
    const refused = writer.counts.refused503;
    let isRefused;
    try {
      await fill(disk);
      isRefused = await lasting(ms, () => writer.counts.refused503 > refused);
    } finally {
      disk.free();
    }
    await server.clickhouse.stop();
    await server.clickhouse.start();
    busy.delete(server.clickhouse);
    return { outageMs: ms, note: isRefused ? '' : 'no client got 503' };
  });
}

/** Most of the space at once and by another process, because the writer must go on; then the last bytes. */
async function fill(disk) {
  const most = Math.floor(disk.freeBytes() * MOST);
  const file = join(disk.directory, 'filler');
  await promisify(execFile)('fallocate', ['-l', String(most), file]);
  disk.fill();
}
