// What was written with the first release, before and after its worker was stopped, and what is read.
const project_id = 'acme/first';
const DAY = '2026-11-15T';
const uuid = (n) => `01990000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const start = (n, fields = {}) => ({
  mode: 'start',
  req: {
    start: {
      project_id,
      id: uuid(n),
      trace_id: uuid(1000 + n),
      op_name: `weave:///${project_id}/op/summarise:v${n % 3}`,
      started_at: `${DAY}12:00:${String(n % 60).padStart(2, '0')}.123456Z`,
      attributes: { env: n % 2 === 0 ? 'test' : 'production', n },
      inputs: { text: `text ${n} – naïve 東京 👍`, n, nested: { list: [1, 2.5, null, true, '3'] } },
      ...fields,
    },
  },
});

const end = (n, fields = {}) => ({
  mode: 'end',
  req: {
    end: {
      project_id,
      id: uuid(n),
      ended_at: `${DAY}12:01:${String(n % 60).padStart(2, '0')}.654321Z`,
      output: { result: `result ${n}`, score: n / 7 },
      summary: {
        usage: { 'model-a': { requests: 1, prompt_tokens: 10 * n, completion_tokens: n } },
      },
      ...fields,
    },
  },
});

const numbers = (from, count) => Array.from({ length: count }, (_, i) => from + i);
const batch = (items) => ({ path: '/call/upsert_batch', body: { batch: items } });
const object = (object_id, val) => ({
  path: '/obj/create',
  body: { obj: { project_id, object_id, val } },
});
const feedback = (id, n, feedback_type, payload) => ({
  path: '/feedback/create',
  body: {
    project_id,
    id,
    weave_ref: `weave:///${project_id}/call/${uuid(n)}`,
    feedback_type,
    payload,
  },
});
const key = (as, role) => ({
  path: '/admin/keys/create',
  body: { user: 'bob', scope: project_id, role, name: as },
  as,
});

const ROWS = numbers(0, 20).map((n) => ({ n, text: `row ${n}` }));

/** Stored by the worker of the first release. */
export const STORED = [
  key('writer', 'write'),
  key('reader', 'read'),
  object('config', { a: 1 }),
  object('config', { a: 2, text: 'naïve' }),
  object('prompt', { messages: ['one', 'two'] }),
  {
    path: '/objs/config/aliases',
    method: 'PUT',
    body: { project_id, digest: 'v0', aliases: ['best'] },
  },
  {
    path: '/objs/config/versions/v1/tags',
    method: 'PUT',
    body: { project_id, tags: ['reviewed'] },
  },
  { path: '/table/create', body: { table: { project_id, rows: ROWS } }, digest: 'table' },
  {
    path: '/file/create',
    form: { project_id, name: 'obj.py', content: 'def f():\n  return 1\n' },
    digest: 'file',
  },
  {
    path: '/cost/create',
    body: {
      project_id,
      costs: {
        'model-a': {
          prompt_token_cost: 0.5,
          completion_token_cost: 2,
          effective_date: '2026-01-01T00:00:00Z',
        },
      },
    },
  },
  batch(numbers(1, 30).flatMap((n) => [start(n), end(n)])),
  batch([
    start(61, {
      parent_id: uuid(30),
      trace_id: uuid(1030),
      thread_id: 'thread-1',
      turn_id: uuid(61),
    }),
  ]),
  batch([end(61, { exception: 'ValueError: no', output: null, summary: {} })]),
  // A start whose end is sent later, and ends whose starts are.
  batch([start(70), end(71), end(72)]),
  { path: '/call/update', body: { project_id, call_id: uuid(2), display_name: 'Renamed' } },
  { path: '/calls/delete', body: { project_id, call_ids: [uuid(3)] } },
  feedback('note-1', 1, 'wandb.note.1', { note: 'good' }),
  feedback('score-1', 2, 'custom.score', { value: 0.75, reasons: ['a', 'b'] }),
  feedback('score-2', 2, 'custom.score', { value: 0.25 }),
];

/** In the queue of the first release when it is stopped. */
export const PENDING = [
  batch(numbers(101, 20).flatMap((n) => [start(n), end(n)])),
  batch([end(70), start(71)]),
  { path: '/call/update', body: { project_id, call_id: uuid(4), display_name: 'Renamed later' } },
  { path: '/calls/delete', body: { project_id, call_ids: [uuid(5)] } },
  batch([{ mode: 'start', req: { start: { project_id, id: uuid(150), op_name: 7 } } }, start(151)]),
  object('config', { a: 3 }),
  feedback('note-2', 6, 'wandb.note.1', { note: 'written while the worker was stopped' }),
  { path: '/file/create', form: { project_id, name: 'later.txt', content: 'later' } },
  { path: '/table/create', body: { table: { project_id, rows: ROWS.slice(0, 7) } } },
  key('later', 'read'),
];

const sort_by = [
  { field: 'started_at', direction: 'asc' },
  { field: 'id', direction: 'asc' },
];

/** `digests` are those of the responses to the writes that name one. */
export const reads = (digests) => [
  {
    path: '/calls/stream_query',
    isText: true,
    body: { project_id, sort_by, include_costs: true, include_feedback: true },
  },
  { path: '/calls/query_stats', body: { project_id } },
  { path: '/call/read', body: { project_id, id: uuid(70), include_costs: true } },
  {
    path: '/calls/stream_query',
    isText: true,
    body: {
      project_id,
      sort_by,
      columns: ['id', 'inputs.n'],
      query: { $expr: { $gt: [{ $getField: 'inputs.n' }, { $literal: 110 }] } },
    },
  },
  { path: '/objs/query', body: { project_id, include_tags_and_aliases: true } },
  { path: '/obj/read', body: { project_id, object_id: 'config', digest: 'best' } },
  {
    path: '/feedback/query',
    body: { project_id, sort_by: [{ field: 'id', direction: 'asc' }] },
  },
  { path: '/cost/query', body: { project_id } },
  {
    path: '/costs/report',
    body: {
      project_id,
      start: `${DAY}00:00:00Z`,
      end: '2026-11-16T00:00:00Z',
      group_by: ['model'],
    },
  },
  { path: '/table/query', body: { project_id, digest: digests.table } },
  { path: '/file/content', isText: true, body: { project_id, digest: digests.file } },
  { path: '/threads/stream_query', isText: true, body: { project_id } },
  { path: '/project/stats', body: { project_id } },
];
