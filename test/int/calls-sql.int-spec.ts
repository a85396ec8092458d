import { CALLS, DELETED_VERSION, type CallRow, type Sql } from '@app/clickhouse';
import type { CallsFilter } from '@app/contracts';
import { micros } from '@app/wire';
import {
  countCalls,
  newestVersionOfCall,
  traceSizes,
  versionsOfCall,
  type CallRecordRow,
  type CallVersionRow,
} from '../../apps/query/src/calls/calls.sql.js';
import { CallFields } from '../../apps/query/src/calls/call-fields.js';
import { selectedColumns } from '../../apps/query/src/calls/call-selection.js';
import { newestVersion } from '../../apps/query/src/calls/call-versions.js';
import { callsQuery } from '../../apps/query/src/calls/calls-query.js';
import { aProject } from '../support/test-server.js';
import { aCallRow, openStore } from '../support/store.js';

const fields = new CallFields('acme/demo');
const store = openStore();
afterAll(() => store.close());

/** A project with these calls, and functions that query it. */
async function aProjectWith(...rows: Partial<CallRow>[]) {
  const project_id = aProject();
  const write = (...more: Partial<CallRow>[]) =>
    store.insert(
      CALLS,
      more.map((row) => aCallRow({ project_id, ...row })),
    );
  const one = async (query: Sql) =>
    (await store.rows<{ count: number | string; bytes: number | string }>(query))[0]!;
  await write(...rows);
  const columns = selectedColumns(undefined);
  const chosen = (id: string) =>
    store.rows<CallRecordRow>(newestVersionOfCall(project_id, id, columns));
  const versions = (id: string) =>
    store.rows<CallVersionRow>(versionsOfCall(project_id, id, columns));
  return {
    project_id,
    write,
    count: async (filter: CallsFilter = {}, limit?: number) =>
      Number(
        (
          await one(
            countCalls(callsQuery({ project_id, filter, limit: limit ?? null }, fields), true),
          )
        ).count,
      ),
    bytes: async (trace: string) =>
      Number((await store.rows<{ bytes: number }>(traceSizes(project_id, [trace])))[0]?.bytes ?? 0),
    chosen,
    versions,
    /** The row that ClickHouse chooses, which is also the one that is chosen of all versions. */
    read: async (id: string) => {
      const [rows, all] = await Promise.all([chosen(id), versions(id)]);
      const newest = newestVersion(all);
      expect(rows).toEqual(newest ? [withoutVersion(newest)] : []);
      return rows;
    },
  };
}

const withoutVersion = ({ version: _, is_deleted: __, ...row }: CallVersionRow) => row;

const op = (name: string) => `weave:///acme/demo/op/${name}`;
const object = (name: string) => `weave:///acme/demo/object/${name}`;

describe('calls in ClickHouse', () => {
  it('are counted by op: one version, or all versions of it', async () => {
    const { count } = await aProjectWith(
      { op_name: op('rank:v1') },
      { op_name: op('rank:v2') },
      { op_name: op('ranks:v1') },
      { op_name: op('rank') },
      { op_name: 'rank:*' },
      { op_name: 'r%nk:1' },
    );

    expect(await count({ op_names: [op('rank:v1')] })).toBe(1);
    expect(await count({ op_names: [op('rank:*')] })).toBe(2);
    expect(await count({ op_names: [op('rank:*'), op('ranks:v1')] })).toBe(3);
    expect(await count({ op_names: ['rank:*'] })).toBe(1);
    expect(await count({ op_names: ['r%nk:*'] })).toBe(1);
    expect(await count({ op_names: ['%:*', op('_ank:v1')] })).toBe(0);
  });

  it('are counted by the refs in them', async () => {
    const { count } = await aProjectWith(
      { input_refs: [object('prompt:v1'), object('model:v1')] },
      { input_refs: [object('prompt:v2/attr/rows')], output_refs: [object('result:v1')] },
      { output_refs: [object('prompt:v1')] },
    );

    expect(await count({ input_refs: [object('prompt:v1')] })).toBe(1);
    expect(await count({ input_refs: [object('prompt:*')] })).toBe(2);
    expect(await count({ input_refs: [object('model:v1'), object('prompt:v2')] })).toBe(1);
    expect(await count({ output_refs: [object('result:v1'), object('prompt:*')] })).toBe(2);
    expect(
      await count({ input_refs: [object('prompt:*')], output_refs: [object('result:*')] }),
    ).toBe(1);
  });

  it('are counted by run; a run without a project belongs to the project of the request', async () => {
    const { project_id, write, count } = await aProjectWith({ run_id: 'other/project/r1' });
    await write({ run_id: `${project_id}/r1` }, { run_id: `${project_id}/r2` });

    expect(await count({ wb_run_ids: ['r1'] })).toBe(1);
    expect(await count({ wb_run_ids: ['r1', 'r2'] })).toBe(2);
    expect(await count({ wb_run_ids: ['other/project/r1', `${project_id}/r1`] })).toBe(2);
  });

  it('are counted by parent, thread, turn and user, alone and combined', async () => {
    const { count } = await aProjectWith(
      { parent_id: 'p', thread_id: 'th', turn_id: 'tu', user_id: 'ann' },
      { parent_id: 'p', thread_id: 'th', user_id: 'bob' },
      { thread_id: 'th' },
    );

    expect(await count({ parent_ids: ['p'], thread_ids: ['th'] })).toBe(2);
    expect(await count({ parent_ids: ['p'], wb_user_ids: ['bob', 'eve'] })).toBe(1);
    expect(await count({ turn_ids: ['tu'] })).toBe(1);
    expect(await count({ trace_roots_only: true, thread_ids: ['th'] })).toBe(1);
    expect(await count({ thread_ids: ['th'], turn_ids: [] })).toBe(0);
  });

  it('are counted up to the limit', async () => {
    const { count } = await aProjectWith({}, {}, {});

    expect(await count({}, 2)).toBe(2);
    expect(await count({}, 9)).toBe(3);
    expect(await count({}, 0)).toBe(0);
  });

  it('are the row that was folded from more facts, whichever was written last', async () => {
    const { write, count, read } = await aProjectWith({ id: 'c1', version: 2n, output: '"late"' });
    await write({ id: 'c1', version: 1n, output: '' });

    expect(await read('c1')).toEqual([expect.objectContaining({ output: '"late"' })]);
    expect(await count()).toBe(1);
  });

  it('are hidden by a tombstone, also from rows that are written later', async () => {
    const { write, count, read } = await aProjectWith({ id: 'c1' }, { id: 'c2' });
    await write({ id: 'c1', version: DELETED_VERSION + 2n, is_deleted: 1 });
    await write({ id: 'c1', version: 3n });

    expect(await count()).toBe(1);
    expect(await count({ call_ids: ['c1'] })).toBe(0);
    expect(await read('c1')).toEqual([]);
  });

  it('are found at their new start time when their start was sent again', async () => {
    const { write, count, read } = await aProjectWith({
      id: 'c1',
      started_at: micros(1_772_000_000_000_000),
    });
    await write(
      { id: 'c1', started_at: micros(1_772_000_000_000_000), version: 2n, is_deleted: 1 },
      { id: 'c1', started_at: micros(1_775_000_000_000_000), version: 2n, op_name: 'moved' },
    );

    expect(await read('c1')).toEqual([expect.objectContaining({ op_name: 'moved' })]);
    expect(await count()).toBe(1);
  });

  it('are read once, even while they have rows at two start times', async () => {
    const { chosen, versions } = await aProjectWith(
      { id: 'c1', started_at: micros(1_772_000_000_000_000) },
      { id: 'c1', started_at: micros(1_775_000_000_000_000) },
    );

    expect(await chosen('c1')).toHaveLength(1);
    expect(newestVersion(await versions('c1'))).toMatchObject({ id: 'c1' });
  });

  it('are read by exactly their id, whatever its characters', async () => {
    const ids = [
      "'",
      '"',
      '\\',
      '\\n',
      '\n',
      '\t',
      '{p0:String}',
      '%',
      'é',
      '😀',
      '\u0000',
      "\\'",
      ' ',
    ];
    const { read, count } = await aProjectWith(...ids.map((id) => ({ id })));

    for (const id of ids) {
      expect((await read(id)).map((row) => row.id)).toEqual([id]);
      expect(await count({ call_ids: [id, 'none'] })).toBe(1);
    }
    expect(await count({ call_ids: ids })).toBe(ids.length);
  });

  it('are visible only in their own project', async () => {
    await aProjectWith({ id: 'c1', trace_id: 't1' });
    const { read, count, bytes } = await aProjectWith();

    expect([await read('c1'), await count(), await bytes('t1')]).toEqual([[], 0, 0]);
  });

  it('add up to the size of their trace', async () => {
    const { bytes, write } = await aProjectWith(
      { id: 'c1', trace_id: 't1', size_bytes: 5 },
      { trace_id: 't1', size_bytes: 2 ** 40 },
      { trace_id: 't2', size_bytes: 100 },
    );
    await write({ id: 'c1', trace_id: 't1', size_bytes: 7, version: 2n });

    expect(await bytes('t1')).toBe(2 ** 40 + 7);
  });

  it('are found by a filter of a thousand ids', async () => {
    const { count } = await aProjectWith({ id: 'c1' });
    const ids = Array.from({ length: 999 }, (_, i) => `${i}`.padEnd(128, 'é'));

    expect(await count({ call_ids: [...ids, 'c1'] })).toBe(1);
  });
});
