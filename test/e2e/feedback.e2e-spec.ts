import { aProject, sharedServer } from '../support/test-server.js';
import { endItem, startItem } from '../support/records.js';

const server = sharedServer();

const refTo = (project: string, id = 'c1') => `weave:///${project}/call/${id}`;
const note = (project_id: string, fields: object = {}) => ({
  project_id,
  weave_ref: refTo(project_id),
  feedback_type: 'wandb.note.1',
  payload: { note: 'good' },
  ...fields,
});
const create = (record: object) => server.post('/feedback/create', record);
const refused = async (path: string, body: unknown) => {
  const { status, text } = await server.send(path, body);
  return { status, text };
};
const query = (project_id: string, more: object = {}) =>
  server.post('/feedback/query', {
    project_id,
    sort_by: [{ field: 'created_at', direction: 'asc' }],
    ...more,
  });
const eq = (field: string, value: unknown) => ({
  $expr: { $eq: [{ $getField: field }, { $literal: value }] },
});

describe('feedback, end to end', () => {
  it('is not replaced by a key that only adds, also not by its id', async () => {
    const project_id = aProject();
    const { key } = await server.post('/admin/keys/create', {
      ...{ user: 'eve', scope: project_id, role: 'ingest' },
    });
    const asEve = async (id: string, text: string) => {
      const record = note(project_id, { id, payload: { note: text } });
      return (await server.send('/feedback/create', record, { key })).status;
    };
    const mine = (await create(note(project_id))).id as string;
    const purged = (await create(note(project_id))).id as string;
    await server.post('/feedback/purge', { project_id, query: eq('id', purged) });

    expect([await asEve(mine, 'forged'), await asEve(purged, 'revived')]).toEqual([403, 403]);
    expect([await asEve('hers', 'a'), await asEve('hers', 'a'), await asEve('hers', 'b')]).toEqual([
      200, 200, 403,
    ]);
    const { result } = await query(project_id);
    expect(result.map((one: { payload: object }) => one.payload)).toEqual([
      { note: 'good' },
      { note: 'a' },
    ]);
  });

  it('can be read right after it was created, with the text of its payload, before its call is stored', async () => {
    const project_id = aProject();
    const response = await server.send(
      '/feedback/create',
      `{"project_id":"${project_id}","weave_ref":"${refTo(project_id)}","feedback_type":"custom",
        "payload":{"n": 1.0,"big":123456789012345678901234567890},"creator":"me","wb_user_id":"evil"}`,
    );
    expect(response.json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/\.\d{6}Z$/),
      wb_user_id: 'ann',
      payload: { n: 1, big: 123456789012345678901234567890 },
    });

    const read = await server.send('/feedback/query', { project_id });
    expect(read.text).toContain('"payload":{"n": 1.0,"big":123456789012345678901234567890}');
    expect(read.json()).toMatchObject({
      total_count: 1,
      result: [
        {
          id: response.json().id,
          project_id,
          weave_ref: refTo(project_id),
          wb_user_id: 'ann',
          creator: 'me',
          created_at: response.json().created_at,
          feedback_type: 'custom',
          annotation_ref: null,
          runnable_ref: null,
          call_ref: null,
          trigger_ref: null,
          queue_id: null,
          scorer_tags: [],
          scorer_ratings: {},
          span_status_code: 'UNSET',
        },
      ],
    });
  });

  it('may be about another project that its key may read, and then it is not feedback of a call of its own', async () => {
    const [project_id, other] = [aProject(), aProject()];
    const weave_ref = refTo(other, 'shared-id');
    const { key } = await server.post('/admin/keys/create', {
      ...{ user: 'eve', scope: project_id, role: 'write' },
    });
    await server.post('/call/upsert_batch', {
      batch: [startItem({ project_id, id: 'shared-id' })],
    });
    await create(note(project_id, { weave_ref }));

    expect((await query(project_id, { query: eq('weave_ref', weave_ref) })).total_count).toBe(1);
    const read = await server.post('/calls/query', { project_id, include_feedback: true });
    expect(read.calls[0].summary.weave.feedback ?? []).toEqual([]);
    const refusal = await server.send('/feedback/create', note(project_id, { weave_ref }), { key });
    expect({ status: refusal.status, text: refusal.text }).toEqual({
      status: 403,
      text: expect.stringContaining(other),
    });
  });

  it('adds the aliases of a reaction, with and without the skin tone', async () => {
    const project_id = aProject();
    const react = async (emoji: string) =>
      (await create(note(project_id, { feedback_type: 'wandb.reaction.1', payload: { emoji } })))
        .payload;

    expect(await react('👍🏽')).toEqual({
      emoji: '👍🏽',
      alias: ':thumbs_up_medium_skin_tone:',
      detoned: '👍',
      detoned_alias: ':thumbs_up:',
    });
    expect(await react('❤')).toMatchObject({ alias: ':red_heart:', detoned: '❤' });
    expect(await react('🇩🇪')).toMatchObject({ alias: ':Germany:' });
  });

  it('is queried by fields, paths of the payload, conditions, order and page', async () => {
    const project_id = aProject();
    for (const [i, score] of [1, 2, 3].entries()) {
      const payload = { score, deep: { list: [{ a: score }] }, text: `t${i}` };
      await create(note(project_id, { feedback_type: 'mine', payload }));
    }
    await create(note(project_id, { item_ref: refTo(project_id, 'c2'), weave_ref: undefined }));

    const fields = [
      'feedback_type',
      'payload.deep.list.0',
      'payload.score',
      'payload.no',
      'item_ref',
    ];
    const above = { $expr: { $gt: [{ $getField: 'payload.score' }, { $literal: 1 }] } };
    expect(
      await query(project_id, {
        fields,
        query: above,
        sort_by: [{ field: 'payload.score', order: 'desc' }],
        limit: 1,
      }),
    ).toEqual({
      result: [
        {
          feedback_type: 'mine',
          'payload.deep.list.0': { a: 3 },
          'payload.score': 3,
          'payload.no': null,
          item_ref: refTo(project_id),
        },
      ],
      total_count: 2,
    });
    expect(await query(project_id, { fields: ['count(*)'] })).toEqual({
      result: [{ 'count(*)': 4 }],
      total_count: 4,
    });
    const ofOne = await query(project_id, { query: eq('weave_ref', refTo(project_id, 'c2')) });
    expect(ofOne.total_count).toBe(1);
    const always = { $expr: { $and: [{ $literal: true }, { $literal: 1 }] } };
    for (const [offset, limit, count] of [
      [3, 9, 1],
      [0, 4, 4],
      [1, null, 3],
      [9, 9, 0],
      [0, 0, 0],
    ]) {
      const page = await query(project_id, { query: always, offset, limit });
      expect([page.result.length, page.total_count]).toEqual([count, 4]);
    }
    const since = { $expr: { $gte: [{ $getField: 'created_at' }, { $literal: '2020-01-01' }] } };
    expect((await query(project_id, { query: since })).total_count).toBe(4);
  });

  it('keeps the ids of a client, so that a repeated batch adds nothing', async () => {
    const project_id = aProject();
    const batch = ['a', 'b'].map((id) => note(project_id, { id, payload: { note: id } }));

    const { res } = await server.post('/feedback/batch/create', { batch });
    await server.post('/feedback/batch/create', { batch });
    expect(res.map(({ id, payload }: any) => [id, payload])).toEqual([
      ['a', { note: 'a' }],
      ['b', { note: 'b' }],
    ]);
    expect((await query(project_id)).total_count).toBe(2);
  });

  it('is replaced under the same id or another, and created when it did not exist', async () => {
    const project_id = aProject();
    const { id, created_at } = await create(note(project_id));
    const replaced = await server.post('/feedback/replace', {
      ...note(project_id, { payload: { note: 'better' } }),
      weave_ref: undefined,
      item_ref: refTo(project_id),
      feedback_id: id,
    });
    expect(replaced).toMatchObject({ id, wb_user_id: 'ann', payload: { note: 'better' } });
    expect(replaced.created_at > created_at).toBe(true);

    const other = {
      ...note(project_id, { payload: { note: 'best' } }),
      id: 'new',
      feedback_id: id,
    };
    await server.post('/feedback/replace', other);
    await server.post('/feedback/replace', { ...note(project_id), feedback_id: 'fresh' });
    expect((await query(project_id)).result.map((one: any) => [one.id, one.payload.note])).toEqual([
      ['new', 'best'],
      ['fresh', 'good'],
    ]);
  });

  it('may have null for every optional field, and gets its user from the key', async () => {
    const project_id = aProject();
    const { id } = await create(note(project_id));
    const refs = { annotation_ref: null, runnable_ref: null, call_ref: null, trigger_ref: null };
    const response = await server.post('/feedback/replace', {
      ...note(project_id, { payload: { note: 'again' }, weave_ref: undefined }),
      item_ref: refTo(project_id),
      feedback_id: id,
      ...{ creator: null, wb_user_id: 'evil', ...refs },
    });
    expect(Object.keys(response).sort()).toEqual(['created_at', 'id', 'payload', 'wb_user_id']);
    expect(response.wb_user_id).toBe('ann');
    const open = { fields: null, query: null, sort_by: null, limit: null, offset: null };
    expect((await query(project_id, open)).result).toMatchObject([
      { id, wb_user_id: 'ann', creator: null, payload: { note: 'again' }, ...refs },
    ]);
    expect((await server.post('/cost/query', { project_id, ...open })).results).toEqual([]);
  });

  it('stays unchanged when its replacement is refused', async () => {
    const project_id = aProject();
    const { id } = await create(note(project_id));
    const bad = { ...note(project_id, { payload: { note: '' } }), feedback_id: id };

    expect(await refused('/feedback/replace', bad)).toEqual({
      status: 400,
      text: expect.stringContaining('payload.note has 0 characters'),
    });
    expect((await query(project_id)).result[0].payload).toEqual({ note: 'good' });
  });

  it('is purged by id, and by nothing else', async () => {
    const project_id = aProject();
    for (const id of ['a', 'b', 'c', 'd']) await create(note(project_id, { id }));
    const purge = (query: object) => server.send('/feedback/purge', { project_id, query });
    const ids = async () => (await query(project_id)).result.map(({ id }: any) => id);

    const some = { $in: [{ $getField: 'id' }, [{ $literal: 'b' }, { $literal: 'none' }]] };
    expect((await purge(eq('id', 'a'))).json()).toEqual({});
    expect((await purge({ $expr: some })).status).toBe(200);
    expect((await purge({ $expr: { $or: [eq('id', 'c').$expr] } })).status).toBe(200);
    expect(await ids()).toEqual(['d']);

    for (const bad of [eq('creator', 'x'), { $expr: { $not: [eq('id', 'd').$expr] } }, {}]) {
      const response = await purge(bad);
      expect({ status: response.status, reason: response.json().reason }).toEqual({
        status: 400,
        reason: expect.stringContaining('by id'),
      });
    }
    expect(await ids()).toEqual(['d']);
  });
});

describe('annotations and runnables', () => {
  const publish = async (project_id: string, field_schema: object) => {
    const obj = { project_id, object_id: 'grade', val: { field_schema } };
    const { digest } = await server.post('/obj/create', {
      obj: { ...obj, builtin_object_class: 'AnnotationSpec' },
    });
    return `weave:///${project_id}/object/grade:${digest}`;
  };
  const annotation = (project_id: string, annotation_ref: string, value: unknown) =>
    note(project_id, {
      feedback_type: 'wandb.annotation.grade',
      annotation_ref,
      payload: { value },
    });

  it('validate an annotation by the schema of its spec', async () => {
    const project_id = aProject();
    const ref = await publish(project_id, { type: 'integer', minimum: 1, maximum: 5 });

    expect(await create(annotation(project_id, ref, 5))).toMatchObject({ payload: { value: 5 } });
    expect(await refused('/feedback/create', annotation(project_id, ref, 6))).toEqual({
      status: 400,
      text: expect.stringContaining('must be <= 5'),
    });
    const missing = { ...annotation(project_id, ref, 1), payload: {} };
    expect(await refused('/feedback/create', missing)).toMatchObject({ status: 400 });
    expect((await query(project_id)).total_count).toBe(1);
  });

  it('stop a schema whose pattern takes too long', async () => {
    const project_id = aProject();
    const ref = await publish(project_id, { type: 'string', pattern: '^(a+)+$' });

    expect(
      await refused('/feedback/create', annotation(project_id, ref, `${'a'.repeat(40)}!`)),
    ).toEqual({ status: 400, text: expect.stringContaining('takes too long') });
  });

  it('store the result of a scorer, with tags and ratings that can be queried', async () => {
    const project_id = aProject();
    const scored = (name: string, more: object) =>
      note(project_id, {
        feedback_type: 'wandb.runnable.acc',
        runnable_ref: `weave:///${project_id}/op/${name}:abc`,
        call_ref: refTo(project_id, 'scorer-call'),
        payload: { output: { score: 1 } },
        ...more,
      });
    await create(
      scored('acc', { scorer_tags: ['slow', 'rude'], scorer_ratings: { helpful: 0.5 } }),
    );

    expect(await refused('/feedback/create', scored('other', {}))).toMatchObject({ status: 400 });
    const { status } = await server.send('/feedback/create', scored('acc', { call_ref: null }));
    expect(status).toBe(400);
    const contains = (substr: string, case_insensitive?: boolean) => ({
      $expr: {
        $contains: {
          ...{ input: { $getField: 'scorer_tags' }, substr: { $literal: substr } },
          ...(case_insensitive !== undefined && { case_insensitive }),
        },
      },
    });
    const tagged = contains('rude');
    const fields = ['scorer_tags', 'scorer_ratings.helpful'];
    expect((await query(project_id, { query: tagged, fields })).result).toEqual([
      { scorer_tags: ['slow', 'rude'], 'scorer_ratings.helpful': 0.5 },
    ]);
    const good = { $expr: { $gt: [{ $getField: 'scorer_ratings.helpful' }, { $literal: 0.6 }] } };
    expect((await query(project_id, { query: good })).total_count).toBe(0);

    const count = async (one: object) => (await query(project_id, { query: one })).total_count;
    expect([await count(contains('RUDE')), await count(contains('RUDE', true))]).toEqual([0, 1]);
    expect(await count(contains('rud', true))).toBe(0);
    const sized = (path: string, size: number) => ({
      $expr: { $eq: [{ $size: { $getField: path } }, { $literal: size }] },
    });
    expect(await count(sized('scorer_ratings', 1))).toBe(1);
    expect(await count(sized('scorer_tag_reasons', 0))).toBe(1);
    expect(await count(sized('payload.output', 1))).toBe(1);
    expect(await count(sized('payload.output', 2))).toBe(0);
  });
});

describe('feedback that is refused', () => {
  const project_id = aProject();
  const reaction = (emoji: unknown) => ({ feedback_type: 'wandb.reaction.1', payload: { emoji } });
  const bad: [string, object, string][] = [
    ['two emojis', reaction('👍👍'), 'exactly one emoji'],
    ['an emoji with text', reaction('👍a'), 'exactly one emoji'],
    ['no emoji', reaction(1), 'exactly one emoji'],
    ['a long note', { payload: { note: 'x'.repeat(1025) } }, 'has 1025 characters'],
    ['a note that is not text', { payload: { note: 5 } }, 'payload.note must be text'],
    [
      'a large payload',
      { payload: { note: 'x'.repeat(1024 * 1024) } },
      'payload has 1048587 bytes',
    ],
    [
      'a spec of another project',
      {
        feedback_type: 'wandb.annotation.a',
        payload: { value: 1 },
        annotation_ref: 'weave:///acme/else/object/a:b',
      },
      'must be a ref into',
    ],
    ['an invalid ref', { weave_ref: 'c1' }, 'is not a ref'],
    ['a ref in the wrong field', { runnable_ref: `weave:///${project_id}/op/a:b` }, 'runnable_ref'],
    ['tags on a note', { scorer_tags: ['a'] }, 'scorer_tags'],
    ['a user without tags', { feedback_type: 'wandb.agent_user_feedback' }, 'scorer_tags'],
    ['a monitor without refs', { feedback_type: 'wandb.agent_monitor' }, 'runnable_ref'],
    [
      'an annotation without its spec',
      { feedback_type: 'wandb.annotation.a', payload: { value: 1 } },
      'annotation_ref is required',
    ],
    [
      'an annotation whose spec does not exist',
      {
        feedback_type: 'wandb.annotation.a',
        payload: { value: 1 },
        annotation_ref: `weave:///${project_id}/object/a:nope`,
      },
      'is not an AnnotationSpec',
    ],
  ];

  it.each(bad)('gets the reason: %s', async (_, fields, sentence) => {
    const one = await server.send('/feedback/create', note(project_id, fields));
    expect({ status: one.status, reason: one.json().reason }).toEqual({
      status: 400,
      reason: expect.stringContaining(sentence),
    });

    const batch = [note(project_id), note(project_id, fields)];
    const many = await server.send('/feedback/batch/create', { batch });
    expect({ status: many.status, detail: many.json().detail }).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'batch', 1], msg: expect.stringContaining(sentence) }],
    });
  });

  it('is not stored', async () => {
    expect((await query(project_id)).total_count).toBe(0);
  });

  it.each([
    [{ weave_ref: null }, 'weave_ref'],
    [{ payload: 'x' }, 'payload'],
    [{ feedback_type: '' }, 'feedback_type'],
    [{ scorer_ratings: { a: 'x' } }, 'scorer_ratings'],
    [{ project_id: 'x' }, 'project_id'],
  ])('must match its shape: %j', async (fields, field) => {
    expect(await refused('/feedback/create', note(project_id, fields))).toEqual({
      status: 422,
      text: expect.stringContaining(field),
    });
  });

  it.each([
    [{ fields: ['id', 'nope'] }, 400, 'nope'],
    [{ query: eq('nope', 1) }, 400, 'nope'],
    [{ sort_by: [{ field: 'nope', direction: 'asc' }] }, 400, 'nope'],
    [{ fields: ['id', 'count(*)'] }, 400, 'stands alone'],
    [{ limit: -1 }, 400, 'limit'],
    [{ query: { $expr: { $ne: [1, 2] } } }, 422, '$ne'],
    [{ query: { $expr: { $and: [] } } }, 400, '$and'],
    [{ sort_by: [{ field: 'id' }] }, 422, 'direction'],
  ])('is not found by an invalid query: %j', async (request, status, part) => {
    expect(await refused('/feedback/query', { project_id, ...request })).toEqual({
      status,
      text: expect.stringContaining(part),
    });
  });
});

describe('feedback on calls', () => {
  it('is in the summary of its call when requested', async () => {
    const project_id = aProject();
    const item = { project_id, id: 'c1', trace_id: 't1' };
    await create(note(project_id));
    await server.post('/call/upsert_batch', { batch: [startItem(item), endItem(item)] });

    const read = async (more: object) =>
      (await server.post('/calls/query', { project_id, ...more })).calls[0].summary.weave;
    expect((await read({ include_feedback: true })).feedback).toMatchObject([
      { feedback_type: 'wandb.note.1', payload: { note: 'good' }, wb_user_id: 'ann' },
    ]);
    expect(await read({})).not.toHaveProperty('feedback');
  });

  it('can be filtered and sorted by', async () => {
    const project_id = aProject();
    const batch = ['a', 'b', 'c'].flatMap((id, i) => {
      const started_at = `2026-03-01T10:00:0${i}Z`;
      return [startItem({ project_id, id, started_at }), endItem({ project_id, id })];
    });
    await server.post('/call/upsert_batch', { batch });
    const give = (id: string, feedback_type: string, payload: object) =>
      create(note(project_id, { weave_ref: refTo(project_id, id), feedback_type, payload }));
    await give('a', 'score', { value: 9 });
    await give('a', 'score', { value: 1 });
    await give('b', 'score', { value: 5 });
    await give('a', 'wandb.note.1', { note: 'first' });
    await give('a', 'wandb.note.1', { note: 'second' });

    const ids = async (more: object) =>
      (await server.post('/calls/query', { project_id, ...more })).calls.map(({ id }: any) => id);
    const where = ($expr: object) => ids({ query: { $expr } });
    const score = { $getField: 'feedback.[score].payload.value' };
    const noted = { $getField: 'feedback.[wandb.note.1].payload.note' };
    expect(await where({ $gt: [score, { $literal: 2 }] })).toEqual(['b']);
    expect(await where({ $eq: [score, { $literal: 1 }] })).toEqual(['a']);
    expect(await where({ $eq: [noted, { $literal: 'first' }] })).toEqual(['a']);
    expect(await where({ $contains: { input: noted, substr: { $literal: 'sec' } } })).toEqual([
      'a',
    ]);
    expect(await where({ $eq: [noted, { $literal: null }] })).toEqual(['b', 'c']);
    expect(await where({ $not: [{ $eq: [score, { $literal: null }] }] })).toEqual(['a', 'b']);
    expect(
      await where({ $eq: [{ $getField: 'feedback.[*].payload.value' }, { $literal: '9' }] }),
    ).toEqual(['a']);
    expect(await ids({ sort_by: [{ field: score.$getField, direction: 'desc' }] })).toEqual([
      'b',
      'a',
      'c',
    ]);
    // A condition on `[*]` applies to every entry, with numbers and booleans as well as texts.
    await give('c', 'other', { value: true });
    const any = { $getField: 'feedback.[*].payload.value' };
    expect(await where({ $eq: [any, { $literal: 9 }] })).toEqual(['a']);
    expect(await where({ $eq: [{ $literal: 1 }, any] })).toEqual(['a']);
    expect(await where({ $in: [any, [{ $literal: 9 }, { $literal: 5 }]] })).toEqual(['a', 'b']);
    expect(await where({ $eq: [any, { $literal: true }] })).toEqual(['a', 'c']);
    expect(await where({ $not: [{ $eq: [any, { $literal: 9 }] }] })).toEqual(['b']);
    const remark = { $getField: 'feedback.[wandb.note.1].payload.note' };
    expect(await where({ $not: [{ $eq: [remark, { $literal: 9 }] }] })).toEqual([]);
    const nothing = { $getField: 'feedback.[none].payload.value' };
    expect(await where({ $gt: [nothing, { $literal: 0 }] })).toEqual([]);
    const count = await server.post('/calls/query_stats', {
      project_id,
      query: { $expr: { $gt: [score, { $literal: 0 }] } },
    });
    expect(count.count).toBe(2);
    const bad = { $expr: { $eq: [{ $getField: 'feedback.[score].id' }, { $literal: 1 }] } };
    expect((await server.send('/calls/query', { project_id, query: bad })).status).toBe(422);
  });
});

describe('statistics of feedback', () => {
  const today = () => {
    const now = Date.now();
    return {
      start: new Date(now - 3600_000).toISOString(),
      end: new Date(now + 3600_000).toISOString(),
    };
  };

  it('aggregate the values in payloads over time', async () => {
    const project_id = aProject();
    for (const [score, ok] of [
      [1, true],
      [2, false],
      [6, true],
    ]) {
      const payload = { output: { score }, ok, label: 'a' };
      await create(note(project_id, { feedback_type: 'mine', payload }));
    }
    await create(note(project_id));
    const metrics = [
      { json_path: 'output.score', percentiles: [50] },
      { json_path: 'ok', value_type: 'boolean' },
      { json_path: 'label', value_type: 'categorical' },
    ];
    const response = await server.post('/feedback/stats', {
      project_id,
      ...today(),
      feedback_type: 'mine',
      granularity: 86400,
      metrics,
    });
    expect(response.window_stats).toEqual({
      output_score: { avg: 3, min: 1, max: 6, p50: 2 },
      ok: { count_true: 2, count_false: 1 },
      label: { count: 3 },
    });
    expect(response.buckets.reduce((sum: number, one: any) => sum + one.count, 0)).toBe(3);
    expect(response.buckets.at(-1)).toHaveProperty('avg_output_score');

    expect(await server.post('/feedback/stats', { project_id, ...today() })).toMatchObject({
      granularity: 300,
      buckets: [],
      window_stats: {},
    });

    const schema = await server.post('/feedback/payload_schema', { project_id, ...today() });
    expect(schema.paths).toEqual([
      { json_path: 'label', value_type: 'categorical' },
      { json_path: 'note', value_type: 'categorical' },
      { json_path: 'ok', value_type: 'boolean' },
      { json_path: 'output.score', value_type: 'numeric' },
    ]);
  });

  it('count tags and ratings, over time and by agent', async () => {
    const project_id = aProject();
    const give = (scorer_tags: string[], helpful: number, span_agent_name: string) =>
      create(
        note(project_id, {
          feedback_type: 'wandb.agent_user_feedback',
          scorer_tags,
          scorer_ratings: { helpful },
          span_agent_name,
        }),
      );
    await give(['rude', 'slow'], 0.5, 'bob');
    await give(['rude'], 1, 'bob');
    await give(['good'], 0.25, 'eve');
    const [after_ms, before_ms] = [Date.now() - 3600_000, Date.now() + 3600_000];
    const aggregate = async (more: object) =>
      (await server.post('/feedback/aggregate', { project_id, after_ms, before_ms, ...more }))
        .buckets;

    expect(await aggregate({})).toEqual([
      {
        group: {},
        total_count: 3,
        scored_count: 3,
        tag_counts: { rude: 2, slow: 1, good: 1 },
        rating_counts: { helpful: 3 },
        rating_sums: { helpful: 1.75 },
      },
    ]);
    expect(
      (await aggregate({ group_by: ['span_agent_name'] })).map((one: any) => [
        one.group,
        one.total_count,
      ]),
    ).toEqual([
      [{ span_agent_name: 'bob' }, 2],
      [{ span_agent_name: 'eve' }, 1],
    ]);
    expect((await aggregate({ tags: ['slow'] }))[0].total_count).toBe(1);
    expect((await aggregate({ rating_min: 0.9 }))[0].total_count).toBe(1);
    expect((await aggregate({ feedback_types: ['wandb.note'] }))[0].total_count).toBe(0);
    const [bucket] = await aggregate({ time_bucket_seconds: 7200, span_agent_names: ['eve'] });
    expect(bucket.time_bucket_start_ms % 7200_000).toBe(0);

    const runnable_ref = `weave:///${project_id}/object/strict:abc`;
    const payload = { output: 1 };
    await create(
      note(project_id, { feedback_type: 'wandb.runnable.strict', runnable_ref, payload }),
    );
    const byScorer = async (more: object) =>
      (await aggregate({ group_by: ['scorer_id'], ...more })).map((one: any) => [
        one.group.scorer_id,
        one.total_count,
      ]);
    expect(await byScorer({})).toEqual([
      ['', 3],
      ['strict', 1],
    ]);
    for (const scorer_ids of [['strict'], ['str*'], [runnable_ref], [`weave:///${project_id}*`]])
      expect(await byScorer({ scorer_ids })).toEqual([['strict', 1]]);
    expect(await byScorer({ scorer_ids: ['stric'] })).toEqual([]);
  });

  it.each([
    ['/feedback/stats', { start: '2026-01-01', end: '2026-03-01' }, '31 days'],
    ['/feedback/stats', { metrics: [{ json_path: 'a', aggregations: ['mode'] }] }, 'mode'],
    ['/feedback/payload_schema', { sample_limit: 0 }, 'sample_limit'],
    ['/feedback/aggregate', { after_ms: 2, before_ms: 1 }, 'before'],
    ['/feedback/aggregate', { after_ms: 0, before_ms: 1e12, group_by: ['scorer_id'] }, '31 days'],
    ['/feedback/aggregate', { after_ms: 0, before_ms: 1e9, time_bucket_seconds: 1 }, '256'],
    ['/feedback/aggregate', { after_ms: 0, before_ms: 1, group_by: ['colour'] }, 'colour'],
  ])('are refused with a reason: %s %j', async (path, body, part) => {
    const window = { start: '2026-03-01', end: '2026-03-02' };
    const response = await server.send(path, { project_id: aProject(), ...window, ...body });
    expect({ status: response.status, text: response.text }).toEqual({
      status: 400,
      text: expect.stringContaining(part),
    });
  });
});
