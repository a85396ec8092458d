import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { startRedis } from '@app/embedded';
import { EMBEDDED_INDEX, isAlive, listeningLogger, newDirectory, until } from './engine.js';

const PARENT = `
  import { startClickHouse, startRedis } from '${EMBEDDED_INDEX}';
  const quiet = () => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const directory = process.argv[1];
  const [redis, clickhouse] = await Promise.all([
    startRedis({ directory: directory + '/redis', logger }),
    startClickHouse({ directory: directory + '/clickhouse', logger }),
  ]);
  console.log(redis.pid() + ' ' + clickhouse.pid());
`;

function startParent(directory: string): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', PARENT, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const groupOf = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[2];

describe('when their parent is killed', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await newDirectory();
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('Redis and ClickHouse end by themselves, and their directories can be used again', async () => {
    const parent = startParent(directory);
    const [output] = (await once(parent.stdout!, 'data')) as [Buffer];
    const pids = String(output).trim().split(' ').map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    expect(pids.map(groupOf)).toEqual(pids.map(String)); // each has its own process group

    parent.kill('SIGKILL');
    await until(() => !pids.some(isAlive));

    const redis = await startRedis({ directory: `${directory}/redis`, logger: listeningLogger() });
    await redis.stop();
  });
});
