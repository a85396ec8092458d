import { aProject } from '../support/test-server.js';
import { eventually } from '../support/processes.js';
import { aStart } from '../support/records.js';
import { SplitServer, type Part } from '../support/split-server.js';

/** More than any disk has, so that a process with this setting finds every disk low. No disk has to be filled for it. */
const MORE_THAN_ANY_DISK = { DISK_MIN_FREE_BYTES: String(1e15) };
const GET = { method: 'GET', key: null };

let split: SplitServer;
let ingest: Part;

beforeAll(async () => {
  split = await SplitServer.start();
  ingest = await split.part('ingest');
});

afterAll(() => split.stop());

const write = (project_id: string) =>
  ingest.server.send('/call/start', { start: aStart({ project_id }) });

describe('a ClickHouse whose disk has less space than the reserve', () => {
  it('makes ingest refuse writes with the reason, lets erase work, and accepts writes again once no worker reports it', async () => {
    const project = aProject();
    expect((await write(project)).status).toBe(200);

    const worker = await split.part('worker', MORE_THAN_ANY_DISK);
    const refused = await eventually(async () => {
      const response = await write(project);
      return response.status !== 200 && response;
    }, 10_000);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.json()).toEqual({
      error_code: 'disk_full',
      reason: expect.stringMatching(
        /^No writes are accepted until disk space is freed \(the disk of ClickHouse \S+ has \d+ of \d+ MB free, and writes need \d+ MB/,
      ),
    });
    const records = { project_id: project, object_id: 'o', val: {} };
    expect((await ingest.server.send('/obj/create', { obj: records })).json()).toMatchObject({
      error_code: 'disk_full',
    });

    for (const { server } of [ingest, worker]) {
      const health = await server.send('/readyz', undefined, GET);
      expect(health.status).toBe(503);
      expect(health.json().checks.disk).toMatch(/^writes are refused: .*disk-full\.md$/);
    }
    const metrics = await worker.server.send('/metrics', undefined, GET);
    expect(metrics.text).toMatch(/^heddle_disk_free_bytes\{disk="ClickHouse \S+"\} \d+$/m);

    const query = await split.part('query');
    const count = async () =>
      (await query.server.post('/calls/query_stats', { project_id: project })).count as number;
    await eventually(async () => (await count()) > 0, 10_000);
    const erased = await split.cli('erase', '--project', project, '--yes');
    expect(erased).toMatchObject({ code: 0 });
    expect(await count()).toBe(0);

    await worker.program.stop();
    await eventually(async () => (await write(project)).status === 200, 10_000);
    expect((await ingest.server.send('/readyz', undefined, GET)).status).toBe(200);
  });
});
