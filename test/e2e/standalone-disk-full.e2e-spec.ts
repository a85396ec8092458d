import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@app/embedded';
import { refusal } from '../support/backup-drill.js';
import { aProject, TestServer } from '../support/test-server.js';
import { allArrived, cleanUp, eventually, startStandalone, Traffic } from '../support/processes.js';
import { aStart } from '../support/records.js';
import { mountSmallDisk, whyNoSmallDisk, type SmallDisk } from '../support/small-disk.mjs';

const MIB = 1024 ** 2;
const DISK_BYTES = 400 * MIB;
const GIVEN = { HEDDLE_API_KEY: 'a-key-of-the-environment', HEDDLE_USER: 'bea' };
const GET = { method: 'GET', key: null };
const FULL_FOR_MS = 4000;

const reason = whyNoSmallDisk();
if (reason !== undefined)
  console.warn(`SKIPPED: a full disk is not tested, because none can be mounted: ${reason}`);
const onSmallDisk = reason === undefined ? it : it.skip;
let disk: SmallDisk | undefined;

afterAll(() => cleanUp(() => Promise.resolve(disk?.unmount())));

describe('a standalone server on a small disk', () => {
  onSmallDisk(
    'refuses writes while there is still space, and has every acknowledged call without a restart once a full disk is freed',
    async () => {
      disk = mountSmallDisk({ bytes: DISK_BYTES });
      const PORT = String(await freePort());
      const program = await startStandalone(
        join(disk.directory, 'data'),
        { PORT, ...GIVEN },
        60_000,
      );
      const server = new TestServer(`http://127.0.0.1:${PORT}`, GIVEN.HEDDLE_API_KEY);
      const project_id = aProject();
      const traffic = new Traffic(server, project_id, 2);
      await traffic.acknowledgedMore(200);

      // Less than a tenth of the disk, and more than ClickHouse keeps free.
      disk.fill({ leaveBytes: 32 * MIB });
      await eventually(() => traffic.count(503) > 0, 10_000);
      expect(traffic.retryAfter).toBe('5');
      const health = await server.send('/readyz', undefined, GET);
      expect(health.status).toBe(503);
      expect(health.json().checks.disk).toMatch('the disk of Redis has ');
      const write = () => server.send('/call/start', { start: aStart({ project_id }) });
      expect((await write()).json()).toMatchObject({ error_code: 'disk_full' });
      await allArrived(server, project_id, traffic.acknowledged, 20_000);
      // With the definition of a table on a full disk ClickHouse could not start again.
      const env = { DATA_DIR: join(disk.directory, 'data') };
      expect(await refusal(env, 'rebuild')).toMatch('The disk of ClickHouse is full');
      const erasure = ['erase', '--project', project_id, '--yes'];
      expect(await refusal(env, ...erasure)).toMatch('The disk of ClickHouse is full');

      const until = Date.now() + FULL_FOR_MS;
      while (Date.now() < until) {
        disk.fill();
        await pause(50);
      }
      expect((await write()).json()).toMatchObject({ error_code: 'disk_full' });
      expect([...traffic.statuses.keys()].sort()).toEqual([200, 503]);

      disk.free();
      await traffic.acknowledgedMore(200, 30_000);
      await traffic.stop();
      await allArrived(server, project_id, traffic.acknowledged, 30_000);
      await program.printed(/Restarting ClickHouse: its disk was full/);
      await eventually(
        async () => (await server.send('/readyz', undefined, GET)).status === 200,
        15_000,
      );
      expect(program.isRunning).toBe(true);
    },
    300_000,
  );
});
