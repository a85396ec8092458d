import { randomUUID } from 'node:crypto';
import { aProject, sharedServer } from '../support/test-server.js';
import { endItem, startItem } from '../support/records.js';

const server = sharedServer();

interface Item {
  readonly id: string;
  readonly call_id: string;
  readonly annotation_state: string;
  readonly annotator_user_id: string | null;
  readonly position_in_queue: number | null;
}

/** Calls of a new project that were sent, but may not be stored yet. */
async function someCalls(project_id: string, ids: readonly string[], op_name = 'reply') {
  const batch = ids.flatMap((id, i) => {
    const started_at = `2026-03-01T10:00:0${i % 10}.000000Z`;
    const one = { project_id, id, trace_id: `trace-${id}`, op_name, started_at };
    return [startItem(one), endItem({ ...one, ended_at: '2026-03-01T10:01:00.000000Z' })];
  });
  await server.post('/call/upsert_batch', { batch });
}

const aQueue = async (project_id: string, more: object = {}): Promise<string> =>
  (
    await server.post('/annotation_queues', {
      project_id,
      name: 'Review',
      scorer_refs: [],
      ...more,
    })
  ).id;

const add = (project_id: string, queue: string, call_ids: readonly string[]) =>
  server.post(`/annotation_queues/${queue}/items`, {
    ...{ project_id, call_ids, display_fields: ['inputs.a'] },
  });

const items = async (project_id: string, queue: string, more: object = {}): Promise<Item[]> =>
  (await server.post(`/annotation_queues/${queue}/items/query`, { project_id, ...more })).items;

const progress = (
  project_id: string,
  queue: string,
  item: string,
  annotation_state: string,
  key = server.key,
) =>
  server.send(
    `/annotation_queues/${queue}/items/${item}/progress`,
    { project_id, annotation_state },
    { key },
  );

async function annotator(project_id: string, user: string): Promise<string> {
  const request = { user, scope: project_id, role: 'write' };
  return (await server.post('/admin/keys/create', request)).key;
}

const aQueueOf = async (count: number) => {
  const project_id = aProject();
  const ids = Array.from({ length: count }, (_, i) => `call-${i}`);
  await someCalls(project_id, ids);
  const queue = await aQueue(project_id);
  await add(project_id, queue, ids);
  return { project_id, queue, ids };
};

describe('annotation queues', () => {
  it('are created, read, listed, changed in part and deleted', async () => {
    const project_id = aProject();
    const refs = [`weave:///${project_id}/object/quality:abc`];
    const first = await aQueue(project_id, { name: 'First', description: 'd', scorer_refs: refs });
    const second = await aQueue(project_id, { name: 'The second one' });
    const at = `/annotation_queues/${first}?project_id=${encodeURIComponent(project_id)}`;
    const read = async () => (await server.send(at, undefined, { method: 'GET' })).json().queue;
    const put = (body: object) =>
      server.send(`/annotation_queues/${first}`, { project_id, ...body }, { method: 'PUT' });

    const created = await read();
    expect(created).toEqual({
      ...{ id: first, project_id, name: 'First', description: 'd', scorer_refs: refs },
      ...{ created_by: 'ann', deleted_at: null },
      created_at: expect.stringMatching(/\.\d{6}Z$/),
      updated_at: created.created_at,
    });
    const changed = (await put({ name: 'Other' })).json().queue;
    expect(changed).toEqual({ ...created, name: 'Other', updated_at: changed.updated_at });
    expect(await read()).toEqual(changed);
    expect((await put({ name: null })).json().queue).toEqual(changed);

    const names = async (more: object) => {
      const { text } = await server.send('/annotation_queues/query', { project_id, ...more });
      return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).name]));
    };
    expect(await names({})).toEqual(['The second one', 'Other']);
    expect(await names({ name: 'SECOND' })).toEqual(['The second one']);
    expect(await names({ sort_by: [{ field: 'name', direction: 'asc' }], limit: 1 })).toEqual([
      'Other',
    ]);
    expect(await names({ offset: 2 })).toEqual([]);

    const deleted = await server.send(at, undefined, { method: 'DELETE' });
    expect(deleted.json().queue).toMatchObject({ id: first, deleted_at: expect.any(String) });
    expect(await names({})).toEqual(['The second one']);
    const gone = [
      await server.send(at, undefined, { method: 'GET' }),
      await server.send(at, undefined, { method: 'DELETE' }),
      await put({ name: 'x' }),
      await server.send(`/annotation_queues/${first}/items/query`, { project_id }),
    ];
    expect(gone.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const stats = await server.post('/annotation_queues/stats', {
      ...{ project_id, queue_ids: [first, second, 'unknown'] },
    });
    expect(stats).toEqual({ stats: [{ queue_id: second, total_items: 0, completed_items: 0 }] });
  });

  it('have each call once, with what was known of it, in the order of addition', async () => {
    const project_id = aProject();
    const queue = await aQueue(project_id);
    await someCalls(project_id, ['c1', 'c2'], 'reply');
    expect(await add(project_id, queue, ['c2', 'c1', 'c2', 'unknown'])).toEqual({
      ...{ added_count: 2, duplicates: 0 },
    });
    await someCalls(project_id, ['c3'], 'other');
    expect(await add(project_id, queue, ['c1', 'c3'])).toEqual({ added_count: 1, duplicates: 1 });

    const all = await items(project_id, queue, { include_position: true });
    expect(all.map((one) => [one.call_id, one.position_in_queue])).toEqual([
      ['c2', 1],
      ['c1', 2],
      ['c3', 3],
    ]);
    expect(all[1]).toEqual({
      ...{ id: expect.any(String), project_id, queue_id: queue, call_id: 'c1' },
      ...{ call_op_name: 'reply', call_trace_id: 'trace-c1', display_fields: ['inputs.a'] },
      call_started_at: '2026-03-01T10:00:00.000000Z',
      call_ended_at: '2026-03-01T10:01:00.000000Z',
      ...{ added_by: 'ann', created_by: 'ann', annotation_state: 'unstarted' },
      ...{ annotator_user_id: null, deleted_at: null, position_in_queue: 2 },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const found = async (filter: object) =>
      (await items(project_id, queue, { filter, include_position: true })).map((one) => [
        one.call_id,
        one.position_in_queue,
      ]);
    expect(await found({ call_op_name: 'other' })).toEqual([['c3', 3]]);
    expect(await found({ call_id: 'c1' })).toEqual([['c1', 2]]);
    expect(await found({ id: all[0]!.id, added_by: 'ann' })).toEqual([['c2', 1]]);
    expect(await found({ call_trace_id: 'trace-c1', added_by: 'eve' })).toEqual([]);
    const page = {
      sort_by: [{ field: 'call_started_at', direction: 'desc' }],
      limit: 1,
      offset: 1,
    };
    expect(await items(project_id, queue, page)).toHaveLength(1);

    const inQueue = {
      $eq: [{ $getField: 'annotation_queue_items.queue_id' }, { $literal: queue }],
    };
    const { count } = await server.post('/calls/query_stats', {
      ...{ project_id, query: { $expr: inQueue } },
    });
    expect(count).toBe(3);
  });

  it('show the progress of an item, which belongs to the annotator who claimed it', async () => {
    const { project_id, queue } = await aQueueOf(4);
    const eve = await annotator(project_id, 'eve');
    const [a, b, c] = (await items(project_id, queue)).map(({ id }) => id) as [
      string,
      string,
      string,
    ];
    const set = async (item: string, state: string, key?: string) => {
      const response = await progress(project_id, queue, item, state, key);
      return response.status === 200
        ? [response.json().item.annotation_state, response.json().item.annotator_user_id]
        : response.status;
    };

    expect(await set(a, 'in_progress')).toEqual(['in_progress', 'ann']);
    expect(await set(a, 'in_progress')).toEqual(['in_progress', 'ann']);
    expect([await set(a, 'in_progress', eve), await set(a, 'completed', eve)]).toEqual([409, 409]);
    expect(await set(a, 'completed')).toEqual(['completed', 'ann']);
    expect(await set(a, 'completed')).toEqual(['completed', 'ann']);
    expect([await set(a, 'skipped'), await set(a, 'in_progress')]).toEqual([400, 400]);
    expect([await set(a, 'in_progress', eve), await set(a, 'skipped', eve)]).toEqual([409, 409]);
    expect(await set(b, 'skipped', eve)).toEqual(['skipped', 'eve']);
    expect(await set(c, 'in_progress', eve)).toEqual(['in_progress', 'eve']);
    expect([await set(c, 'unstarted'), await set('unknown', 'completed')]).toEqual([422, 404]);

    const states = async (annotation_states: string[]) =>
      (await items(project_id, queue, { filter: { annotation_states } })).map(
        ({ call_id }) => call_id,
      );
    expect(await states(['unstarted'])).toEqual(['call-3']);
    expect(await states(['completed', 'in_progress'])).toEqual(['call-0', 'call-2']);
    const { stats } = await server.post('/annotation_queues/stats', {
      ...{ project_id, queue_ids: [queue] },
    });
    expect(stats).toEqual([{ queue_id: queue, total_items: 4, completed_items: 2 }]);
  });

  it('give an item to one annotator only, however many claim it at the same time', async () => {
    const { project_id, queue, ids } = await aQueueOf(12);
    const users = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'];
    const keys = await Promise.all(users.map((user) => annotator(project_id, user)));
    const order = (await items(project_id, queue)).map(({ id }) => id);

    /** Everyone goes through the same list at once, takes what they get, and finishes it. */
    const work = async (key: string) => {
      const mine: string[] = [];
      for (const item of order) {
        const claim = await progress(project_id, queue, item, 'in_progress', key);
        if (claim.status === 409) continue;
        expect(claim.status).toBe(200);
        expect((await progress(project_id, queue, item, 'completed', key)).status).toBe(200);
        mine.push(item);
      }
      return mine;
    };
    const taken = await Promise.all(keys.map(work));

    expect(taken.flat().sort()).toEqual([...order].sort());
    const found = await items(project_id, queue, { filter: { annotation_states: ['completed'] } });
    expect(found).toHaveLength(ids.length);
    for (const { id, annotator_user_id } of found) {
      expect(taken[users.indexOf(annotator_user_id!)]).toContain(id);
    }
  });

  it('bind feedback only if they exist', async () => {
    const { project_id, queue } = await aQueueOf(1);
    const feedback = (queue_id: string) => ({
      ...{ project_id, queue_id, weave_ref: `weave:///${project_id}/call/call-0` },
      ...{ feedback_type: 'wandb.note.1', payload: { note: 'n' } },
    });
    await server.post('/feedback/create', feedback(queue));
    const unknown = await server.send('/feedback/create', feedback(randomUUID()));
    expect({ status: unknown.status, ...unknown.json() }).toEqual({
      ...{ status: 400, error_code: 'invalid_request' },
      reason: expect.stringContaining('there is no annotation queue'),
    });
    const batch = [feedback(queue), feedback('nope')];
    expect((await server.send('/feedback/batch/create', { batch })).status).toBe(422);
    const { result } = await server.post('/feedback/query', { project_id, fields: ['queue_id'] });
    expect(result).toEqual([{ queue_id: queue }]);
  });

  it.each([
    ['a queue without a name', '', { scorer_refs: [] }, 422, 'name'],
    ['a queue without refs', '', { name: 'q' }, 422, 'scorer_refs'],
    ['a long name', '', { name: 'n'.repeat(1025), scorer_refs: [] }, 422, 'name'],
    [
      'calls for an unknown queue',
      '/q/items',
      { call_ids: ['c'], display_fields: [] },
      404,
      'q in',
    ],
    [
      'too many calls',
      '/q/items',
      { call_ids: Array(1001).fill('c'), display_fields: [] },
      413,
      '1000',
    ],
    ['an unknown order', '/query', { sort_by: [{ field: 'x', direction: 'asc' }] }, 400, 'sort_by'],
    ['a negative limit', '/query', { limit: -1 }, 400, 'limit'],
  ])('refuse %s with a reason', async (_, path, body, status, part) => {
    const request = { project_id: aProject(), ...body };
    const response = await server.send(`/annotation_queues${path}`, request);
    expect([response.status, response.text]).toEqual([status, expect.stringContaining(part)]);
  });
});
