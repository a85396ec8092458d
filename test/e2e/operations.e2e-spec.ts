import { version } from '@app/config';
import { EQUATIONS } from '@app/queue';
import { eventually } from '../support/processes.js';
import { startItem } from '../support/records.js';
import { aProject, sharedServer } from '../support/test-server.js';

const server = sharedServer();

const health = async () =>
  (await server.send('/admin/health', undefined, { method: 'GET' })).json().server;

describe('the operations of an admin', () => {
  it('show the lanes, rates, workers, disks and memory of the server', async () => {
    const shown = await health();

    expect(shown.lanes.map((lane: any) => lane.name)).toEqual([
      'calls, fast',
      'calls, bulk',
      'records',
    ]);
    expect(shown.workers).toEqual([
      {
        id: expect.any(String) as string,
        host: expect.any(String) as string,
        version: version(),
        started_at: expect.stringMatching(/Z$/) as string,
      },
    ]);
    const disk = { total_bytes: expect.any(Number) as number, seconds_left: expect.any(Number) };
    expect(shown.disks).toContainEqual(
      expect.objectContaining({ name: expect.stringMatching(/^ClickHouse /) as string, ...disk }),
    );
    expect(shown.queue_memory.used_bytes).toBeGreaterThan(0);
    const batch = [startItem({ project_id: aProject() })];
    await eventually(async () => {
      await server.post('/call/upsert_batch', { batch });
      const { rates } = await health();
      return rates.received_per_second > 0 && rates.stored_per_second > 0;
    }, 30_000);
  });

  it('show when each maintenance job ran and runs again', async () => {
    const job = await eventually(async () => {
      const { maintenance } = await health();
      const audit = maintenance.find(({ name }: any) => name === 'audit');
      return audit?.last_started_at !== null && audit;
    }, 20_000);

    expect(job).toMatchObject({ every_seconds: 1, last_error: null });
    expect(Date.parse(job.next_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  it('show the ledger of a scope with its equations', async () => {
    const project = aProject();
    await server.post('/call/upsert_batch', { batch: [startItem({ project_id: project })] });

    const shown = await eventually(async () => {
      const found = await server.post('/admin/ledger', { scope: project });
      return found.settled === 1 && found;
    }, 20_000);

    expect(shown).toMatchObject({ projects: 1, received: 1, pending: 0, broken: [] });
    expect(shown.equations.map(({ equation }: any) => equation)).toEqual([...EQUATIONS]);
    expect(shown.equations[0].holds).toBe(true);
  });

  it('verify the audit log up to an end, and after it', async () => {
    await server.post('/admin/keys/create', { user: 'bob', scope: aProject(), role: 'read' });
    const verified = await eventually(async () => {
      const found = await server.post('/admin/audit/verify', {});
      return found.entries > 0 && found;
    }, 20_000);
    expect(verified).toMatchObject({ is_unchanged: true, faults: [], next: null });

    const again = { after: verified.end, expect: verified.end };
    expect(await server.post('/admin/audit/verify', again)).toMatchObject({ is_unchanged: true });
    const [seq] = verified.end.split(':');
    const wrong = await server.post('/admin/audit/verify', { expect: `${seq}:${'0'.repeat(64)}` });
    expect(wrong).toMatchObject({ is_unchanged: false });
    expect(wrong.faults).toHaveLength(1);
  });
});
