import { randomUUID } from 'node:crypto';
import { eventually } from '../support/processes.js';
import { startItem } from '../support/records.js';
import { aProject, sharedServer, TestServer } from '../support/test-server.js';

const server = sharedServer();
const PATH = '/admin/dead-letters';

const invalid = (project_id: string, more = {}) =>
  startItem({ project_id, id: randomUUID(), started_at: 'yesterday', ...more });

/** Sends invalid items, and resolves when all of them are dead letters. */
async function send(project: string, items: readonly object[]): Promise<any> {
  await server.post('/call/upsert_batch', { batch: items });
  return eventually(async () => {
    const found = await query(project);
    return found.reasons[0]?.count === items.length && found;
  }, 20_000);
}

const query = (scope: string, more = {}) => server.post(`${PATH}/query`, { scope, ...more });

async function anAdmin(scope: string): Promise<TestServer> {
  const { key } = await server.post('/admin/keys/create', { user: 'eve', scope, role: 'admin' });
  return new TestServer(server.url, key);
}

describe('dead letters', () => {
  it('are those of the scope of an admin, who can neither see nor change others', async () => {
    const [mine, other] = [aProject(), aProject()];
    const [own, foreign] = await Promise.all([
      send(mine, [invalid(mine)]),
      send(other, [invalid(other)]),
    ]);
    const admin = await anAdmin(mine);
    const [{ id }] = own.dead_letters;
    const hidden = foreign.dead_letters[0].id;

    const listed = await admin.post(`${PATH}/query`, {});
    expect(listed.dead_letters.map((one: any) => one.id)).toEqual([id]);
    for (const name of ['read', 'content', 'check'])
      expect((await admin.send(`${PATH}/${name}`, { id: hidden })).status).toBe(404);
    for (const name of ['replay', 'drop'])
      expect((await admin.send(`${PATH}/${name}`, { ids: [id, hidden] })).status).toBe(404);
    const item = JSON.stringify(startItem({ project_id: other, id: 'smuggled' }));
    const { outcomes } = await admin.post(`${PATH}/replay`, { ids: [id], item });
    expect(outcomes).toEqual([
      { id, outcome: 'refused', reason: expect.stringContaining(other) as string },
    ]);
    expect((await query(other)).dead_letters).toHaveLength(1);
  });

  it('are replayed and dropped by their reason, a hundred at a time', async () => {
    const project = aProject();
    const items = Array.from({ length: 101 }, () => invalid(project));
    const { reasons } = await send(project, items);
    const group = { scope: project, kind: 'rejected', reason_group: reasons[0].reason_group };

    const first = await server.post(`${PATH}/replay`, group);
    expect(first.outcomes).toHaveLength(100);
    expect(first.outcomes[0].outcome).toBe('rejected');
    const last = await server.post(`${PATH}/replay`, { ...group, after: first.next });
    expect([last.outcomes.length, last.next]).toEqual([1, null]);

    const dropped = await server.post(`${PATH}/drop`, group);
    const rest = await server.post(`${PATH}/drop`, { ...group, after: dropped.next });
    expect([dropped.dropped.length, rest]).toEqual([
      100,
      { dropped: [expect.any(String)], next: null },
    ]);
    expect((await query(project)).dead_letters).toEqual([]);
    const page = await query(project, { state: 'dropped', limit: 60 });
    const next = await query(project, { state: 'dropped', limit: 60, after: page.next });
    expect([page.dead_letters.length, next.dead_letters.length, next.next]).toEqual([60, 41, null]);
  });

  it('of thirty megabytes are read by parts, corrected by their bytes, and replayed', async () => {
    const project = aProject();
    const inputs = { text: 'ä'.repeat(15_000_000) };
    const { started_at: _, ...rest } = invalid(project, { inputs }).req.start;
    const sent = { mode: 'start', req: { start: { ...rest, started_at: 'yesterday' } } };
    await send(project, [sent]);
    // A read waits for pending writes for a limited time only, and thirty megabytes may take longer.
    const [{ id, bytes }] = await eventually(async () => {
      const { dead_letters } = await query(project);
      return dead_letters.length === 1 && dead_letters;
    }, 20_000);

    const shown = await server.post(`${PATH}/read`, { id });
    expect([shown.is_whole, shown.offset, bytes > 30_000_000]).toEqual([false, 0, true]);
    const next = await server.post(`${PATH}/read`, { id, offset: 200_000 });
    expect(next.offset).toBe(shown.next_offset);
    expect(next.item).toMatch(/^ä{100000}$/);
    const { text } = await server.send(`${PATH}/content`, { id });
    expect(text === JSON.stringify(sent)).toBe(true);

    expect(await server.post(`${PATH}/check`, { id })).toMatchObject({ is_accepted: false });
    const { offset } = await server.post(`${PATH}/find`, { id, text: 'yesterday' });
    expect(offset).toBeGreaterThan(30_000_000);
    const edits = [{ offset, length: 'yesterday'.length, text: '2026-03-01T10:00:00Z' }];
    const accepted = { is_accepted: true, reason: null };
    expect(await server.post(`${PATH}/check`, { id, edits })).toEqual(accepted);
    const { outcomes } = await server.post(`${PATH}/replay`, { ids: [id], edits });
    expect(outcomes).toEqual([{ id, outcome: 'replayed', reason: null }]);
    const call = await eventually(async () => {
      const { calls } = await server.post('/calls/query', { project_id: project });
      return calls[0];
    }, 60_000);
    expect(call.inputs.text === inputs.text).toBe(true);
  });
});
