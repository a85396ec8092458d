import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '@app/config';
import { openDataDirectory } from '@app/embedded';
import { EMBEDDED_INDEX, newDirectory } from './engine.js';

let parent: string;
beforeAll(async () => {
  parent = await newDirectory();
});
afterAll(() => rm(parent, { recursive: true }));

const HOLDER = `
  import { openDataDirectory } from '${EMBEDDED_INDEX}';
  await openDataDirectory(process.argv[1]).then(
    () => console.log('mine'),
    (problem) => console.log(problem.message),
  );
  setInterval(() => undefined, 1000);
`;

async function holder(directory: string) {
  const process_ = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, directory]);
  const [output] = (await once(process_.stdout, 'data')) as [Buffer];
  return { process: process_, printed: String(output).trim() };
}

describe('a data directory', () => {
  it('is created for its owner only, and can be opened again once released', async () => {
    const path = join(parent, 'new/deep');
    const directory = await openDataDirectory(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await directory.release();
    await (await openDataDirectory(path)).release();
    expect(await readdir(path)).toEqual([]);
  });

  it('is refused to a second process with the pid of the first and what to do', async () => {
    const path = join(parent, 'in-use');
    const directory = await openDataDirectory(path);
    await expect(openDataDirectory(path)).rejects.toThrow(
      new StartupError(
        `Another Heddle (pid ${process.pid}) is using ${path}; stop it or set DATA_DIR to another directory.`,
      ),
    );
    await directory.release();
  });

  it('is taken over from a killed process by exactly one of many', async () => {
    const path = join(parent, 'stale');
    const dead = await holder(path);
    expect(dead.printed).toBe('mine');
    const gone = once(dead.process, 'exit');
    dead.process.kill('SIGKILL');
    await gone;

    const rivals = await Promise.all(Array.from({ length: 4 }, () => holder(path)));
    const losers = rivals.filter(({ printed }) => printed !== 'mine');
    expect(losers).toHaveLength(3);
    for (const { printed } of losers)
      expect(printed).toMatch(/^Another Heddle \(pid \d+\) is using/);
    await Promise.all(rivals.map((rival) => (rival.process.kill(), once(rival.process, 'exit'))));
  });

  it('is taken over when the pid of its process now belongs to another one', async () => {
    const path = join(parent, 'reused');
    await (await openDataDirectory(path)).release();
    await writeFile(join(path, 'lock'), `${process.pid} 1@another-boot\n`);
    await (await openDataDirectory(path)).release();
  });

  it('that cannot be written is named in the error', async () => {
    const file = join(parent, 'file');
    await writeFile(file, '');
    await expect(openDataDirectory(join(file, 'data'))).rejects.toThrow(
      /^The data directory .*file\/data cannot be used \(.*ENOTDIR.*set DATA_DIR/,
    );
  });
});
