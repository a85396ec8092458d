// A small file system in memory, to fill and to free again. It needs root, or sudo without a password as in CI.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MIB = 1024 ** 2;
const FILLER = 'filler';

/** Why this process cannot mount a file system; undefined when it can. */
export function whyNoSmallDisk() {
  if (process.platform !== 'linux') return 'only Linux has tmpfs';
  try {
    mountSmallDisk({ bytes: MIB }).unmount();
    return undefined;
  } catch (error) {
    return String(error.stderr ?? error.message).trim();
  }
}

/** A new file system of this size. `unmount` it when no process uses it any more. */
export function mountSmallDisk({ bytes }) {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-small-disk-'));
  try {
    const options = `size=${bytes},mode=0700,uid=${process.getuid()}`;
    asRoot('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', directory);
    return new SmallDisk(directory);
  } catch (error) {
    rmdirSync(directory);
    throw error;
  }
}

function asRoot(...command) {
  const [name, ...args] = process.getuid() === 0 ? command : ['sudo', '-n', ...command];
  execFileSync(name, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

class SmallDisk {
  constructor(directory) {
    this.directory = directory;
  }

  freeBytes() {
    const { bavail, bsize } = statfsSync(this.directory);
    return bavail * bsize;
  }

  /** Uses up the free space except for `leaveBytes`. When it is called again, it also fills what others have freed since. */
  fill({ leaveBytes = 0 } = {}) {
    const file = openSync(join(this.directory, FILLER), 'a');
    try {
      while (this.freeBytes() > leaveBytes) {
        const step = Buffer.alloc(Math.min(MIB, this.freeBytes() - leaveBytes));
        if (step.length === 0 || !written(file, step)) return;
      }
    } finally {
      closeSync(file);
    }
  }

  /** Frees what `fill` has used. */
  free() {
    rmSync(join(this.directory, FILLER), { force: true });
  }

  /** Copies its files to a directory that lasts. */
  copyTo(directory) {
    cpSync(this.directory, directory, { recursive: true, force: true });
  }

  /** Removes the file system with everything in it. */
  unmount() {
    if (!existsSync(this.directory)) return;
    // A process that is just ending may still have an open file.
    asRoot('umount', '--lazy', this.directory);
    rmdirSync(this.directory);
  }
}

/** False when another process has used the space in the meantime. */
function written(file, bytes) {
  try {
    return writeSync(file, bytes) > 0;
  } catch (error) {
    if (error.code === 'ENOSPC') return false;
    throw error;
  }
}
