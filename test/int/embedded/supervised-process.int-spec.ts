import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '@app/config';
import { startClickHouse, startRedis, SupervisedProcess, type ProcessPlan } from '@app/embedded';
import { HOST_ENTRY, isAlive, listeningLogger, newDirectory, until } from './engine.js';

let directory: string;
beforeAll(async () => {
  directory = await newDirectory();
});
afterAll(() => rm(directory, { recursive: true }));

const LIVES = 'process.stdin.on("end", () => process.exit(0)).resume()';
const STUBBORN = 'process.stdin.resume(); setInterval(() => undefined, 1000)';

function aPlan(script: string, more: Partial<ProcessPlan> = {}): ProcessPlan {
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
  it('is started again when it dies, with one warning that says how and when', async () => {
    const logger = listeningLogger();
    const supervised = await SupervisedProcess.start(aPlan(LIVES, { logger }));
    const first = supervised.pid() ?? 0;
    const ready = once(supervised, 'ready');
    process.kill(first, 'SIGKILL');
    await ready;
    expect(supervised.pid()).not.toBe(first);
    expect(logger.warnings).toEqual([
      {
        sentence: 'Child died and is started again.',
        fields: { code: null, signal: 'SIGKILL', restartInMs: 100, lastWords: '' },
      },
    ]);
    await supervised.stop();
  });

  it('ends with its lifeline, and takes its pid file with it', async () => {
    const supervised = await SupervisedProcess.start(aPlan(LIVES));
    const pid = supervised.pid() ?? 0;
    expect(existsSync(join(directory, 'child.pid'))).toBe(true);
    await supervised.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(directory, 'child.pid'))).toBe(false);
  });

  it('is killed when it does not end in time', async () => {
    const supervised = await SupervisedProcess.start(aPlan(STUBBORN));
    const pid = supervised.pid() ?? 0;
    await supervised.stop(100);
    expect(isAlive(pid)).toBe(false);
  });

  it('that cannot start is a problem with its last words', async () => {
    const dies = 'console.error("no room"); process.exit(3)';
    const never = () => Promise.reject(new Error('silence'));
    const starting = SupervisedProcess.start(aPlan(dies, { probe: never }));
    await expect(starting).rejects.toThrow(
      new StartupError('Child did not start (exit code 3): no room'),
    );
  });

  it('that does not answer is a problem too, and does not stay', async () => {
    const never = () => Promise.reject(new Error('silence'));
    const plan = aPlan(STUBBORN, { probe: never, readyTimeoutMs: 200 });
    await expect(SupervisedProcess.start(plan)).rejects.toThrow(/it does not response/);
  });

  it('that is no program is a problem', async () => {
    const plan = aPlan('', { command: '/no/such/program' });
    await expect(
      SupervisedProcess.start({ ...plan, probe: () => Promise.reject(new Error('silence')) }),
    ).rejects.toThrow(/ENOENT/);
  });

  it('ends the orphan of an earlier run, but not a stranger with its number', async () => {
    const orphan = await SupervisedProcess.start(aPlan(STUBBORN));
    const stranger = spawn(process.execPath, ['-e', STUBBORN], { detached: true });
    await once(stranger, 'spawn');

    const logger = listeningLogger();
    const pid = orphan.pid() ?? 0;
    const heir = await SupervisedProcess.start(aPlan(LIVES, { logger }));
    await until(() => !isAlive(pid));
    expect(logger.warnings[0]?.sentence).toBe('Child of an earlier run is still there; ending it.');
    await Promise.all([orphan.stop(), heir.stop()]);

    await writeFile(join(directory, 'child.pid'), `${stranger.pid} 1@another-boot\n`);
    await (await SupervisedProcess.start(aPlan(LIVES))).stop();
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
      /was made by the server engine.*CLICKHOUSE_URL.*clickhouse binary.*npm install chdb/,
    );
  });
});
