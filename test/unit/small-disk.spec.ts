import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mountSmallDisk, whyNoSmallDisk } from '../support/small-disk.mjs';

const MIB = 1024 ** 2;
const reason = whyNoSmallDisk();
if (reason !== undefined)
  console.warn(`No small disk can be mounted, so its tests are skipped: ${reason}`);
const onSmallDisk = reason === undefined ? it : it.skip;

describe('the small disk of the tests', () => {
  onSmallDisk('has no space once it is filled, and has space again once it is freed', () => {
    const disk = mountSmallDisk({ bytes: 8 * MIB });
    const write = () => writeFileSync(join(disk.directory, 'file'), Buffer.alloc(MIB));
    try {
      disk.fill();
      expect(write).toThrow('ENOSPC');
      disk.free();
      expect(write).not.toThrow();
    } finally {
      disk.unmount();
    }
  });

  onSmallDisk('keeps the space that the filler was told to leave', () => {
    const disk = mountSmallDisk({ bytes: 8 * MIB });
    try {
      disk.fill({ leaveBytes: 3 * MIB });
      expect(disk.freeBytes()).toBe(3 * MIB);
    } finally {
      disk.unmount();
    }
  });
});
