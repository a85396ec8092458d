import { randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  command,
  projectChecksums,
  refusal,
  result,
  startOn,
  startWithEverything,
  storeOf,
  storesOf,
  type Written,
} from '../support/backup-drill.js';
import {
  allArrived,
  cleanUp,
  eventually,
  startNode,
  temporaryDirectory,
  Traffic,
} from '../support/processes.js';
import { aProject, type TestServer } from '../support/test-server.js';
import { aStart, anEnd } from '../support/records.js';

const project_id = aProject();
let dataDir: string;
let backups: string;
let server: TestServer;
let written: Written;
let before: Record<string, string>;

/** Settings of commands that find the server by its data directory. */
const env = () => ({ DATA_DIR: dataDir });

beforeAll(async () => {
  dataDir = temporaryDirectory();
  backups = temporaryDirectory();
  ({ server, written, before } = await startWithEverything(dataDir, project_id));
});
afterAll(() => cleanUp());

/** What a client sees of everything that `writeAll` has written. */
async function view(at: TestServer): Promise<unknown> {
  const { id, file, table } = written;
  const call = await at.post('/call/read', { project_id, id, include_costs: true });
  const objects = await at.post('/objs/query', { project_id, include_tags_and_aliases: true });
  const rows = await at.post('/table/query', { project_id, digest: table });
  const content = await at.send('/file/content', { project_id, digest: file });
  const feedback = await at.post('/feedback/query', { project_id });
  const { count } = await at.post('/calls/query_stats', { project_id });
  return { call, objects, rows, content: content.text, feedback, count };
}

describe('a backup', () => {
  it('made under load is restored with everything that was acknowledged before, and nothing twice', async () => {
    const busy = aProject();
    const traffic = new Traffic(server, busy, 1);
    await traffic.acknowledgedMore(100);
    const acknowledged = [...traffic.acknowledged];
    const to = join(backups, 'under-load');

    const made = await result(env(), 'backup', '--to', to).finally(() => traffic.stop());
    const during = traffic.acknowledged.length - acknowledged.length;
    expect(during).toBeGreaterThan(0);
    expect(made.tables.map(({ name }: any) => name)).toContain('call_events');
    expect(statSync(to).mode & 0o777).toBe(0o700);
    for (const { path } of made.files) expect(statSync(join(to, path)).mode & 0o777).toBe(0o600);
    expect(await result(env(), 'backup', 'verify', to)).toMatchObject({ is_complete: true });

    const restoredDir = join(backups, 'restored');
    const restored = await result({ DATA_DIR: restoredDir }, 'restore', '--from', to);
    expect(restored).toMatchObject({ is_same: true, ledger: { pending: 0 } });
    expect(restored.ledger.holds).toEqual([true, true, true, true, true]);

    const copy = await startOn(restoredDir, server.key);
    const store = storeOf(storesOf(restoredDir));
    expect(await projectChecksums(store, project_id)).toEqual(before);
    await store.close();
    expect(await view(copy)).toEqual(await view(server));
    await allArrived(copy, busy, acknowledged, 20_000);
    const { count } = await copy.post('/calls/query_stats', { project_id: busy });
    expect(count).toBeLessThanOrEqual(traffic.acknowledged.length);

    // It can be written to at once: the next version follows the restored one, and the ledger still holds.
    const object = { project_id, object_id: 'cfg', val: { n: 2 } };
    await copy.post('/obj/create', { obj: object });
    const { objs } = await copy.post('/objs/query', { project_id });
    expect(objs.map(({ version_index }: any) => version_index).sort()).toEqual([0, 1]);
    const id = randomUUID();
    await copy.post('/call/start', { start: aStart({ project_id, id }) });
    await copy.post('/call/end', { end: anEnd({ project_id, id, output: 'new' }) });
    expect((await copy.post('/call/read', { project_id, id })).call.output).toBe('new');
    await eventually(async () => {
      const { total } = await result({ DATA_DIR: restoredDir }, 'ledger');
      return total.pending === 0 && total.holds.every(Boolean);
    }, 20_000);
    expect(await result({ DATA_DIR: restoredDir }, 'audit', 'verify')).toMatchObject({
      faults: [],
    });
  });
});

describe('a backup that cannot be used', () => {
  it('is refused with a sentence, and nothing is left', async () => {
    const good = join(backups, 'good');
    await result(env(), 'backup', '--to', good);
    const [damaged, fresh, to] = ['damaged', 'fresh', 'unreachable'].map((n) =>
      join(backups, n),
    ) as [string, string, string];
    cpSync(good, damaged, { recursive: true });
    appendFileSync(join(damaged, 'clickhouse/log/.backup'), 'x');
    const gone = { REDIS_URL: 'redis://127.0.0.1:1', CLICKHOUSE_URL: 'http://127.0.0.1:1' };
    const late = ['--until', '2100-01-01T00:00:00Z'];
    const sentences = await Promise.all([
      refusal({ DATA_DIR: fresh }, 'restore', '--from', damaged),
      refusal({ DATA_DIR: fresh }, 'restore', '--from', good, ...late),
      refusal(env(), 'restore', '--from', good),
      refusal(gone, 'backup', '--to', to),
      refusal(env(), 'backup', '--to', good),
    ]);
    expect(sentences).toEqual([
      expect.stringContaining('its SHA-256 differs'),
      expect.stringContaining('must not be after the backup'),
      expect.stringMatching(/DATA_DIR .* is not empty/),
      expect.stringContaining('unavailable'),
      expect.stringMatching(/--to .* is not empty/),
    ]);
    expect([fresh, to].filter((path) => existsSync(path))).toEqual([]);
  });

  it('is removed when the command is interrupted', async () => {
    const to = join(backups, 'interrupted');
    const program = startNode(['dist/apps/cli/src/main.js', 'backup', '--to', to], { env: env() });
    await eventually(() => existsSync(join(to, 'redis.ndjson.gz')), 20_000);
    const { code } = await program.stop('SIGTERM');
    expect({ code, stderr: program.stderr }).toMatchObject({ code: 1 });
    expect(program.stderr).toContain('was interrupted');
    expect(existsSync(to)).toBe(false);
    const again = await command(env(), 'backup', '--to', to);
    expect(again).toMatchObject({ code: 0 });
  });
});
