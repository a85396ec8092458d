import { aSpan, aStart, anEnd, endItem, startItem } from './records.js';

/** A request; by default it is a POST with JSON to the path of its route. */
export interface Sample {
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the access tests need to prove that a route refuses callers without access. */
export interface RouteSample {
  /** A valid request about this project. */
  readonly about: (project: string) => Sample;
  /** One request for each further place that can name a project: it is about `mine` and names `other` in that place. */
  readonly hiding?: Readonly<Record<string, (mine: string, other: string) => Sample>>;
  /** The response does not end by itself. */
  readonly isEndless?: boolean;
}

const DIGEST = 'x'.repeat(43);
const RULE = '00000000-0000-4000-8000-000000000000';
const json = (body: unknown): Sample => ({ body });
const about = (fields: object) => (project_id: string) => json({ project_id, ...fields });
const reads = (fields: object = {}): RouteSample => ({ about: about(fields) });

/** The query of the URL names the project. */
const inQuery = (path: string): RouteSample => ({
  about: (project) => ({ path: `${path}?project_id=${encodeURIComponent(project)}` }),
});
const QUEUE = '/annotation_queues/q';

const BOUNDARY = 'samples';
const upload = (project: string): Sample => ({
  headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  body: [
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="project_id"\r\n\r\n${project}\r\n`,
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n`,
    `--${BOUNDARY}--\r\n`,
  ].join(''),
});

const object = (project: string) => ({ project_id: project, object_id: 'thing', val: { a: 1 } });
const ref = (project: string) => `weave:///${project}/object/thing:${DIGEST}`;
const v2 = (project: string, path: string) => `/v2/${project}/${path}`;

const inFilter = (filter: (other: string) => object) => (mine: string, other: string) =>
  json({ project_id: mine, filter: filter(other) });

const callsReads: RouteSample = {
  about: about({}),
  hiding: {
    'filter.op_names': inFilter((other) => ({ op_names: [`weave:///${other}/op/f:*`] })),
    'filter.input_refs': inFilter((other) => ({ input_refs: [ref(other)] })),
    'filter.output_refs': inFilter((other) => ({ output_refs: [ref(other)] })),
    'filter.wb_run_ids': inFilter((other) => ({ wb_run_ids: [`${other}/run`] })),
  },
};

const note = (project_id: string) => ({
  project_id,
  weave_ref: `weave:///${project_id}/call/c`,
  feedback_type: 'wandb.note.1',
  payload: { note: 'n' },
});
const byId = { query: { $expr: { $eq: [{ $getField: 'id' }, { $literal: 'f' }] } } };

const complete = (project_id: string) => ({
  ...aStart({ project_id }),
  ...anEnd({ project_id }),
});

const spansOf = (...projects: string[]) => ({
  resourceSpans: projects.map((project) => {
    const [entity, name] = project.split('/') as [string, string];
    const attributes = [
      { key: 'wandb.entity', value: { stringValue: entity } },
      { key: 'wandb.project', value: { stringValue: name } },
    ];
    return { resource: { attributes }, scopeSpans: [{ spans: [aSpan()] }] };
  }),
});

const otlp: RouteSample = {
  about: (project) => ({ headers: { project_id: project }, body: spansOf(project) }),
  hiding: {
    'the resource of the last spans': (mine, other) => json(spansOf(mine, other)),
    'the header': (mine, other) => ({ headers: { project_id: other }, body: spansOf(mine) }),
  },
};

/** The routes of one class of objects. */
const classRoutes = (
  name: string,
  create: (project: string) => object,
  hiding?: RouteSample['hiding'],
): Readonly<Record<string, RouteSample>> => ({
  [`POST /v2/:entity/:project/${name}`]: {
    about: (project) => ({ path: v2(project, name), body: create(project) }),
    ...(hiding && { hiding }),
  },
  [`GET /v2/:entity/:project/${name}`]: { about: (project) => ({ path: v2(project, name) }) },
  [`GET /v2/:entity/:project/${name}/:object_id/versions/:digest`]: {
    about: (project) => ({ path: v2(project, `${name}/thing/versions/${DIGEST}`) }),
  },
  [`DELETE /v2/:entity/:project/${name}/:object_id`]: {
    about: (project) => ({ path: v2(project, `${name}/thing`) }),
  },
});

/** Runs of evaluations, predictions and scores: calls with routes of their own. */
function evaluationRoutes(): Readonly<Record<string, RouteSample>> {
  const at = (method: string, path: string) => `${method} /v2/:entity/:project/${path}`;
  const get = (path: string): RouteSample => ({
    about: (project) => ({ path: v2(project, path) }),
  });
  const post = (path: string, body: (project: string) => object, refs: readonly string[]) => ({
    about: (project: string) => ({ path: v2(project, path), body: body(project) }),
    hiding: Object.fromEntries(
      refs.map((name) => [
        name,
        (mine: string, other: string) => ({
          path: v2(mine, path),
          body: { ...body(mine), [name]: ref(other) },
        }),
      ]),
    ),
  });
  const run = (project: string) => ({ evaluation: ref(project), model: ref(project) });
  const prediction = (project: string) => ({ model: ref(project), inputs: {}, output: 1 });
  const score = (project: string) => ({ prediction_id: 'p', scorer: ref(project), value: 1 });
  return {
    [at('POST', 'evaluation_runs')]: post('evaluation_runs', run, ['evaluation', 'model']),
    [at('GET', 'evaluation_runs')]: {
      ...get('evaluation_runs'),
      hiding: {
        evaluations: (mine, other) => ({
          path: v2(mine, `evaluation_runs?evaluations=${encodeURIComponent(ref(other))}`),
        }),
        models: (mine, other) => ({
          path: v2(mine, `evaluation_runs?models=${encodeURIComponent(ref(other))}`),
        }),
      },
    },
    [at('GET', 'evaluation_runs/:evaluation_run_id')]: get('evaluation_runs/r'),
    [at('POST', 'evaluation_runs/:evaluation_run_id/finish')]: {
      about: (project) => ({ path: v2(project, 'evaluation_runs/r/finish'), body: {} }),
    },
    [at('DELETE', 'evaluation_runs')]: get('evaluation_runs?evaluation_run_ids=r'),
    [at('POST', 'predictions')]: post('predictions', prediction, ['model']),
    [at('GET', 'predictions')]: get('predictions'),
    [at('GET', 'predictions/:prediction_id')]: get('predictions/p'),
    [at('POST', 'predictions/:prediction_id/finish')]: get('predictions/p/finish'),
    [at('DELETE', 'predictions')]: get('predictions?prediction_ids=p'),
    [at('POST', 'scores')]: post('scores', score, ['scorer']),
    [at('GET', 'scores')]: get('scores'),
    [at('GET', 'scores/:score_id')]: get('scores/s'),
    [at('DELETE', 'scores')]: get('scores?score_ids=s'),
    [at('POST', 'eval_results/query')]: {
      about: (project) => ({
        path: v2(project, 'eval_results/query'),
        body: { evaluation_call_ids: ['r'] },
      }),
    },
  };
}

/** Every request may name the scope that it concerns. */
function deadLetterRoutes(): Readonly<Record<string, RouteSample>> {
  const id = '0123456789abcdef0123456789abcdef';
  const bodies = {
    query: {},
    read: { id },
    find: { id, text: 'x' },
    content: { id },
    check: { id },
    replay: { ids: [id] },
    drop: { ids: [id] },
  };
  return Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [
      `POST /admin/dead-letters/${name}`,
      { about: (scope: string) => json({ scope, ...body }) },
    ]),
  );
}

const anEvaluation = (project: string) => ({ name: 'e', dataset: ref(project) });

/**
 * Every route that needs a key. A route without an entry fails the unit tests. An entry names every
 * place of its request that can name a project.
 */
export const ROUTE_SAMPLES: Readonly<Record<string, RouteSample>> = {
  'POST /alerts/create': reads({ name: 'a', kind: 'no_data' }),
  'POST /alerts/delete': reads({ id: RULE }),
  'POST /alerts/history': reads({ id: RULE }),
  'POST /alerts/query': reads(),
  'POST /alerts/test': reads({ id: RULE }),
  'POST /alerts/update': reads({ id: RULE, name: 'b' }),
  'POST /admin/audit/query': { about: (scope) => json({ scope }) },
  ...deadLetterRoutes(),
  'GET /admin/health': { about: () => ({}) },
  'POST /admin/audit/verify': { about: () => json({}) },
  'POST /admin/erasures': { about: about({ trace_id: 'none', confirm: 'none' }) },
  'POST /admin/erasures/query': { about: (scope) => json({ scope }) },
  'POST /admin/ledger': { about: (scope) => json({ scope }) },
  'POST /admin/retention/preview': { about: (scope) => json({ scope }) },
  'POST /project/ttl_settings/read': reads(),
  'POST /project/ttl_settings/update': { about: about({ retention_days: 30 }) },
  'POST /admin/keys/create': {
    about: (scope) => json({ user: 'eve', scope, role: 'read' }),
  },
  'POST /admin/keys/list': { about: () => json({}) },
  'POST /admin/keys/revoke': {
    about: () => json({ id: '0123456789ab' }),
  },
  'POST /admin/keys/rotate': {
    about: () => json({ id: '0123456789ab' }),
  },
  'POST /annotation_queues': {
    about: about({ name: 'q', scorer_refs: [] }),
    hiding: {
      scorer_refs: (mine, other) =>
        json({ project_id: mine, name: 'q', scorer_refs: [ref(mine), ref(other)] }),
    },
  },
  'PUT /annotation_queues/:queue_id': {
    about: (project_id) => ({ path: QUEUE, body: { project_id, name: 'q' } }),
    hiding: {
      scorer_refs: (project_id, other) => ({
        path: QUEUE,
        body: { project_id, scorer_refs: [ref(other)] },
      }),
    },
  },
  'DELETE /annotation_queues/:queue_id': inQuery(QUEUE),
  'GET /annotation_queues/:queue_id': inQuery(QUEUE),
  'POST /annotation_queues/:queue_id/items': {
    about: (project_id) => ({
      path: `${QUEUE}/items`,
      body: { project_id, call_ids: ['c'], display_fields: [] },
    }),
  },
  'POST /annotation_queues/:queue_id/items/query': {
    about: (project_id) => ({ path: `${QUEUE}/items/query`, body: { project_id } }),
  },
  'POST /annotation_queues/:queue_id/items/:item_id/progress': {
    about: (project_id) => ({
      path: `${QUEUE}/items/i/progress`,
      body: { project_id, annotation_state: 'completed' },
    }),
  },
  'POST /annotation_queues/query': reads(),
  'POST /annotation_queues/stats': reads({ queue_ids: ['q'] }),
  'POST /agents/otel/v1/traces': otlp,
  'POST /otel/v1/traces': otlp,
  'POST /call/start': {
    about: (project_id) => json({ start: aStart({ project_id }) }),
    hiding: {
      'a key of the record written in another way': (mine, other) => ({
        body: JSON.stringify({ start: aStart({ project_id: mine }) }).replace(
          '"id"',
          `"\\u0070roject_id":"${other}","id"`,
        ),
      }),
    },
  },
  'POST /call/end': {
    about: (project_id) => json({ end: anEnd({ project_id }) }),
  },
  'POST /call/update': { about: about({ call_id: 'c', display_name: 'n' }) },
  'POST /call/upsert_batch': {
    about: (project_id) => json({ batch: [startItem({ project_id }), endItem({ project_id })] }),
    hiding: {
      'the last item of a batch': (project_id, other) =>
        json({ batch: [startItem({ project_id }), endItem({ project_id: other })] }),
      'an item that is rejected': (project_id, other) =>
        json({ batch: [startItem({ project_id }), startItem({ project_id: other, inputs: 1 })] }),
    },
  },
  'POST /calls/delete': { about: about({ call_ids: ['c'] }) },
  'POST /cost/create': {
    about: about({ costs: { m: { prompt_token_cost: 1, completion_token_cost: 1 } } }),
  },
  'POST /cost/purge': { about: about(byId) },
  'POST /cost/query': reads(),
  'POST /cost/repricing': reads(),
  'POST /cost/what_if': reads({
    prices: [{ llm_id: 'm', prompt_token_cost: 1, completion_token_cost: 1 }],
  }),
  'POST /costs/report': callsReads,
  'POST /calls/stats': reads({ start: '2026-03-01', end: '2026-03-02' }),
  'POST /calls/usage': reads({ call_ids: ['c'] }),
  'POST /trace/usage': callsReads,
  'POST /threads/stream_query': reads(),
  'POST /project/stats': reads(),
  // It names no project: each caller gets the list of their own scope.
  'POST /projects/query': { about: () => json({}) },
  'POST /dataset_sources/link': {
    about: about({ dataset_object_id: 'd', dataset_digest: 'v0', links: [] }),
  },
  'POST /dataset_sources/link_delete': { about: about({ link_ids: ['l'] }) },
  'POST /dataset_sources/query': reads({ dataset_object_id: 'd' }),
  'POST /dataset_sources/source_datasets_query': reads({ sources: [] }),
  'POST /feedback/create': {
    about: (project) => json(note(project)),
    hiding: Object.fromEntries(
      ['weave_ref', 'item_ref', 'annotation_ref', 'runnable_ref', 'call_ref', 'trigger_ref'].map(
        (field) => [
          field,
          (mine: string, other: string) => json({ ...note(mine), [field]: ref(other) }),
        ],
      ),
    ),
  },
  'POST /feedback/batch/create': {
    about: (project) => json({ batch: [note(project)] }),
    hiding: {
      'the last item of a batch': (mine, other) => json({ batch: [note(mine), note(other)] }),
    },
  },
  'POST /feedback/replace': {
    about: (project) => json({ ...note(project), feedback_id: 'f' }),
  },
  'POST /feedback/purge': { about: about(byId) },
  'POST /feedback/query': reads(),
  'POST /feedback/stats': reads({ start: '2026-03-01', end: '2026-03-02' }),
  'POST /feedback/payload_schema': reads({ start: '2026-03-01', end: '2026-03-02' }),
  'POST /feedback/aggregate': reads({ after_ms: 0, before_ms: 1 }),
  'POST /file/create': { about: upload },
  'POST /files/create': { about: upload },
  'POST /obj/create': { about: (project) => json({ obj: object(project) }) },
  'POST /obj/delete': { about: about({ object_id: 'thing' }) },
  'PUT /objs/:object_id/aliases': {
    about: about({ digest: DIGEST, aliases: ['best'] }),
  },
  'POST /objs/:object_id/aliases/remove': { about: about({ aliases: ['best'] }) },
  'PUT /objs/:object_id/versions/:digest/tags': { about: about({ tags: ['t'] }) },
  'POST /objs/:object_id/versions/:digest/tags/remove': {
    about: about({ tags: ['t'] }),
  },
  'POST /service/projects_info': {
    about: (project) => json({ project_ids: [project] }),
    hiding: { 'the last of the list': (mine, other) => json({ project_ids: [mine, other] }) },
  },
  'POST /table/create': {
    about: (project_id) => json({ table: { project_id, rows: [{ a: 1 }] } }),
  },
  'POST /table/create_from_digests': { about: about({ row_digests: [DIGEST] }) },
  'POST /table/update': {
    about: about({ base_digest: DIGEST, updates: [{ append: { row: { a: 1 } } }] }),
  },
  'POST /table/update, updates other than appends': {
    about: about({ base_digest: DIGEST, updates: [{ pop: { index: 0 } }] }),
  },
  'POST /v2/:entity/:project/call/start': {
    about: (project_id) => ({
      path: v2(project_id, 'call/start'),
      body: { start: aStart({ project_id }) },
    }),
    hiding: {
      'the path': (project_id, other) => ({
        path: v2(other, 'call/start'),
        body: { start: aStart({ project_id }) },
      }),
      'the record': (project_id, other) => ({
        path: v2(project_id, 'call/start'),
        body: { start: aStart({ project_id: other }) },
      }),
    },
  },
  'POST /v2/:entity/:project/call/end': {
    about: (project_id) => ({
      path: v2(project_id, 'call/end'),
      body: { end: anEnd({ project_id }) },
    }),
    hiding: {
      'the path': (project_id, other) => ({
        path: v2(other, 'call/end'),
        body: { end: anEnd({ project_id }) },
      }),
      'the record': (project_id, other) => ({
        path: v2(project_id, 'call/end'),
        body: { end: anEnd({ project_id: other }) },
      }),
    },
  },
  'POST /v2/:entity/:project/calls/complete': {
    about: (project) => ({
      path: v2(project, 'calls/complete'),
      body: { batch: [complete(project)] },
    }),
    hiding: {
      'the path': (mine, other) => ({
        path: v2(other, 'calls/complete'),
        body: { batch: [complete(mine)] },
      }),
      'the last item of a batch': (mine, other) => ({
        path: v2(mine, 'calls/complete'),
        body: { batch: [complete(mine), complete(other)] },
      }),
    },
  },
  ...classRoutes('ops', () => ({ name: 'thing' })),
  ...classRoutes('datasets', () => ({ name: 'thing', rows: [{ a: 1 }] })),
  ...classRoutes('scorers', () => ({ name: 'thing', op_source_code: 'x' })),
  ...classRoutes('models', () => ({ name: 'thing', source_code: 'x' })),
  ...classRoutes('evaluations', anEvaluation, {
    dataset: (mine, other) => ({ path: v2(mine, 'evaluations'), body: anEvaluation(other) }),
    'the last scorer': (mine, other) => ({
      path: v2(mine, 'evaluations'),
      body: { ...anEvaluation(mine), scorers: [ref(mine), ref(other)] },
    }),
  }),
  ...evaluationRoutes(),
  'PUT /v2/:entity/:project/runtimes/:runtime_name': {
    about: (project) => ({
      path: v2(project, 'runtimes/mine'),
      body: { base_url: 'https://models.example.com/v1', runtime_ids: [{ id: 'm' }] },
    }),
  },
  'GET /session': { about: () => ({}) },
  'DELETE /session': { about: () => ({}) },
  'GET /aliases': inQuery('/aliases'),
  'GET /tags': inQuery('/tags'),
  'POST /call/read': reads({ id: 'c' }),
  'POST /agents/agent-versions/query': reads({ agent_name: 'a' }),
  'POST /agents/conversations/chat': reads({ conversation_id: 'c' }),
  'POST /agents/conversations/spans': reads({ conversation_ids: ['c'] }),
  'POST /agents/query': reads(),
  'POST /agents/search': reads({ query: 'x' }),
  'POST /agents/spans/custom-attrs/schema': reads(),
  'POST /agents/spans/query': reads(),
  'POST /agents/spans/stats': reads({ start: '2026-03-01T00:00:00Z', end: '2026-03-02T00:00:00Z' }),
  'POST /agents/traces/chat': reads({ trace_id: 't' }),
  'POST /calls/export': callsReads,
  'POST /calls/query': callsReads,
  'POST /calls/histogram': callsReads,
  'POST /calls/preview': callsReads,
  'POST /calls/facets': {
    ...callsReads,
    about: about({ fields: ['op_name'] }),
    hiding: Object.fromEntries(
      Object.entries(callsReads.hiding!).map(([place, sample]) => [
        place,
        (mine: string, other: string) =>
          json({ fields: ['op_name'], ...(sample(mine, other).body as object) }),
      ]),
    ),
  },
  'POST /calls/tail': { ...callsReads, isEndless: true },
  'POST /call/payload': reads({ id: 'c', member: 'inputs' }),
  'POST /trace/tree': reads({ trace_id: 't' }),
  'POST /calls/query_stats': callsReads,
  'POST /calls/stream_query': callsReads,
  'POST /file/content': reads({ digest: DIGEST }),
  'POST /files/content': reads({ digest: DIGEST }),
  'POST /file/query_stats': reads(),
  'POST /files/query_stats': reads(),
  'POST /files/stats': reads(),
  'POST /graphql': {
    about: (project) => {
      const [entityName, name] = project.split('/');
      return json({ query: 'query Project { project { name } }', variables: { entityName, name } });
    },
    hiding: {
      'the other spelling of the entity': (mine, other) => {
        const [entityName, name] = mine.split('/');
        const [entity] = other.split('/');
        const query = 'mutation UpsertModel { upsertModel { model { name } } }';
        return json({ query, variables: { entityName, entity, name } });
      },
    },
  },
  'POST /obj/read': reads({ object_id: 'thing', digest: DIGEST }),
  'POST /objs/query': reads(),
  'POST /refs/read_batch': {
    about: (project) => json({ refs: [ref(project)] }),
    hiding: { 'the last ref': (mine, other) => json({ refs: [ref(mine), ref(other)] }) },
  },
  'POST /table/query': reads({ digest: DIGEST }),
  'POST /table/query_stats': reads({ digest: DIGEST }),
  'POST /table/query_stats_batch': reads({ digests: [DIGEST] }),
  'POST /table/query_stream': reads({ digest: DIGEST }),
};
