import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '@app/config';
import { startClickHouse, startRedis, SupervisedProcess, type ProcessOptions } from '@app/embedded';
import { SERVER_ENTRY, isAlive, listeningLogger, newDirectory, until } from './engine.js';

let directory: string;
beforeAll(async () => {
  directory = await newDirectory();
});
afterAll(() => rm(directory, { recursive: true }));

const ENDS_WITH_STDIN = 'process.stdin.on("end", () => process.exit(0)).resume()';
const NEVER_ENDS = 'process.stdin.resume(); setInterval(() => undefined, 1000)';

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
    const supervised = await SupervisedProcess.start(options(ENDS_WITH_STDIN, { logger }));
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

  it('has the priority that it was given, also after a restart', async () => {
    const supervised = await SupervisedProcess.start(options(ENDS_WITH_STDIN, { nice: 5 }));
    for (const step of ['started', 'restarted']) {
      const pid = supervised.pid() ?? 0;
      expect([step, getPriority(pid)]).toEqual([step, 5]);
      const session = `/proc/${pid}/autogroup`;
      if (existsSync(session)) expect(readFileSync(session, 'utf8')).toMatch(/nice 5$/m);
      const ready = once(supervised, 'ready');
      process.kill(pid, 'SIGKILL');
      await ready;
    }
    await supervised.stop();
  });

  it('exits when its stdin ends, and its pid file is removed', async () => {
    const supervised = await SupervisedProcess.start(options(ENDS_WITH_STDIN));
    const pid = supervised.pid() ?? 0;
    expect(existsSync(join(directory, 'child.pid'))).toBe(true);
    await supervised.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(directory, 'child.pid'))).toBe(false);
  });

  it('is killed when it does not end in time', async () => {
    const supervised = await SupervisedProcess.start(options(NEVER_ENDS));
    const pid = supervised.pid() ?? 0;
    await supervised.stop(100);
    expect(isAlive(pid)).toBe(false);
  });

  it('fails the start with its last output when it cannot start', async () => {
    const dies = 'console.error("disk full"); process.exit(3)';
    const never = () => Promise.reject(new Error('silence'));
    const starting = SupervisedProcess.start(options(dies, { probe: never }));
    await expect(starting).rejects.toThrow(
      new StartupError('Child did not start (exit code 3): disk full'),
    );
  });

  it('fails the start and is killed when it is not ready in time', async () => {
    const never = () => Promise.reject(new Error('silence'));
    const hanging = options(NEVER_ENDS, { probe: never, readyTimeoutMs: 200 });
    await expect(SupervisedProcess.start(hanging)).rejects.toThrow(/not ready in time/);
  });

  it('fails the start when the program does not exist', async () => {
    const missing = options('', { command: '/no/such/program' });
    await expect(
      SupervisedProcess.start({ ...missing, probe: () => Promise.reject(new Error('silence')) }),
    ).rejects.toThrow(/ENOENT/);
  });

  it('stops the orphan of an earlier run, but not another process with its pid', async () => {
    const orphan = await SupervisedProcess.start(options(NEVER_ENDS));
    const unrelated = spawn(process.execPath, ['-e', NEVER_ENDS], { detached: true });
    await once(unrelated, 'spawn');

    const logger = listeningLogger();
    const pid = orphan.pid() ?? 0;
    const next = await SupervisedProcess.start(options(ENDS_WITH_STDIN, { logger }));
    await until(() => !isAlive(pid));
    expect(logger.warnings[0]?.sentence).toBe(
      'Child of an earlier run is still running; stopping it.',
    );
    await Promise.all([orphan.stop(), next.stop()]);

    await writeFile(join(directory, 'child.pid'), `${unrelated.pid} 1@another-boot\n`);
    await (await SupervisedProcess.start(options(ENDS_WITH_STDIN))).stop();
    expect(isAlive(unrelated.pid ?? 0)).toBe(true);
    unrelated.kill('SIGKILL');
    await once(unrelated, 'exit');
  });
});

describe('an embedded server that cannot start', () => {
  it('is reported with the output of Redis', async () => {
    const options = { directory: join(directory, 'redis'), logger: listeningLogger() };
    await expect(startRedis({ ...options, binary: '/bin/false' })).rejects.toThrow(
      /^Redis did not start \(exit code 1\)/,
    );
    await expect(startRedis({ ...options, maxMemoryBytes: -1 })).rejects.toThrow(/maxmemory/);
  });

  it('is reported when its directory was made by another engine', async () => {
    const path = join(directory, 'clickhouse');
    const options = { directory: path, logger: listeningLogger(), serverEntry: SERVER_ENTRY };
    await (await startClickHouse(options)).stop();
    await writeFile(join(path, 'engine'), 'server\n');
    await expect(startClickHouse(options)).rejects.toThrow(
      /was created by the server engine.*CLICKHOUSE_URL.*clickhouse binary.*npm install chdb/,
    );
  });
});
