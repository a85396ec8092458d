import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '@app/config';
import { startClickHouse, startRedis, SupervisedProcess, type ProcessOptions } from '@app/embedded';
import { HOST_ENTRY, isAlive, listeningLogger, newDirectory, until } from './engine.js';

let directory: string;
beforeAll(async () => {
  directory = await newDirectory();
});
afterAll(() => rm(directory, { recursive: true }));

const LIVES = 'process.stdin.on("end", () => process.exit(0)).resume()';
const STUBBORN = 'process.stdin.resume(); setInterval(() => undefined, 1000)';

function options(script: string, more: Partial<ProcessOptions> = {}): ProcessOptions {
  return {
    name: 'Child',
    command: process.execPath,
    args: ['-e', script],
    pidFile: join(directory, 'child.pid'),
    probe: () => Promise.resolve(),
    logger: listeningLogger(),
    ...more,
  };
}

describe('a supervised process', () => {
  it('is restarted when it exits, with one warning that has the reason and the delay', async () => {
    const logger = listeningLogger();
    const supervised = await SupervisedProcess.start(options(LIVES, { logger }));
    const first = supervised.pid() ?? 0;
    const ready = once(supervised, 'ready');
    process.kill(first, 'SIGKILL');
    await ready;
    expect(supervised.pid()).not.toBe(first);
    expect(logger.warnings).toEqual([
      {
        sentence: 'Child exited unexpectedly; restarting in 100 ms.',
        fields: { code: null, signal: 'SIGKILL', restartInMs: 100, lastOutput: '' },
      },
    ]);
    await supervised.stop();
  });

  it('exits when its stdin ends, and its pid file is removed', async () => {
    const supervised = await SupervisedProcess.start(options(LIVES));
    const pid = supervised.pid() ?? 0;
    expect(existsSync(join(directory, 'child.pid'))).toBe(true);
    await supervised.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(directory, 'child.pid'))).toBe(false);
  });

  it('is killed when it does not end in time', async () => {
    const supervised = await SupervisedProcess.start(options(STUBBORN));
    const pid = supervised.pid() ?? 0;
    await supervised.stop(100);
    expect(isAlive(pid)).toBe(false);
  });

  it('fails the start with its last output when it cannot start', async () => {
    const dies = 'console.error("no room"); process.exit(3)';
    const never = () => Promise.reject(new Error('silence'));
    const starting = SupervisedProcess.start(options(dies, { probe: never }));
    await expect(starting).rejects.toThrow(
      new StartupError('Child did not start (exit code 3): no room'),
    );
  });

  it('fails the start and is killed when it is not ready in time', async () => {
    const never = () => Promise.reject(new Error('silence'));
    const hanging = options(STUBBORN, { probe: never, readyTimeoutMs: 200 });
    await expect(SupervisedProcess.start(hanging)).rejects.toThrow(/not ready in time/);
  });

  it('fails the start when the program does not exist', async () => {
    const missing = options('', { command: '/no/such/program' });
    await expect(
      SupervisedProcess.start({ ...missing, probe: () => Promise.reject(new Error('silence')) }),
    ).rejects.toThrow(/ENOENT/);
  });

  it('stops the orphan of an earlier run, but not another process with its pid', async () => {
    const orphan = await SupervisedProcess.start(options(STUBBORN));
    const stranger = spawn(process.execPath, ['-e', STUBBORN], { detached: true });
    await once(stranger, 'spawn');

    const logger = listeningLogger();
    const pid = orphan.pid() ?? 0;
    const heir = await SupervisedProcess.start(options(LIVES, { logger }));
    await until(() => !isAlive(pid));
    expect(logger.warnings[0]?.sentence).toBe(
      'Child of an earlier run is still running; stopping it.',
    );
    await Promise.all([orphan.stop(), heir.stop()]);

    await writeFile(join(directory, 'child.pid'), `${stranger.pid} 1@another-boot\n`);
    await (await SupervisedProcess.start(options(LIVES))).stop();
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  });
});

describe('a part that cannot start', () => {
  it('says what Redis said', async () => {
    const options = { directory: join(directory, 'redis'), logger: listeningLogger() };
    await expect(startRedis({ ...options, binary: '/bin/false' })).rejects.toThrow(
      /^Redis did not start \(exit code 1\)/,
    );
    await expect(startRedis({ ...options, maxMemoryBytes: -1 })).rejects.toThrow(/maxmemory/);
  });

  it('does not hand a directory of one engine to the other', async () => {
    const path = join(directory, 'clickhouse');
    const options = { directory: path, logger: listeningLogger(), hostEntry: HOST_ENTRY };
    await (await startClickHouse(options)).stop();
    await writeFile(join(path, 'engine'), 'server\n');
    await expect(startClickHouse(options)).rejects.toThrow(
      /was created by the server engine.*CLICKHOUSE_URL.*clickhouse binary.*npm install chdb/,
    );
  });
});
