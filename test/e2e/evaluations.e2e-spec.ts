import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { aProject, sharedServer } from '../support/test-server.js';

const server = sharedServer();

const at = (project: string, path: string) => `/v2/${project}/${path}`;
const create = (project: string, path: string, body: object): Promise<any> =>
  server.post(at(project, path), body);
const get = async (project: string, path: string): Promise<any> =>
  (await server.send(at(project, path), undefined, { method: 'GET' })).json();
const list = async (project: string, path: string): Promise<any[]> => {
  const { text } = await server.send(at(project, path), undefined, { method: 'GET' });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
};
const publish = (project_id: string, object_id: string, val: object): Promise<any> =>
  server.post('/obj/create', { obj: { project_id, object_id, val } });
const ref = (project: string, name: string, digest: string) =>
  `weave:///${project}/object/${name}:${digest}`;
const ofClass = (name: string, ...bases: string[]) => ({
  _type: name,
  _class_name: name,
  _bases: [...bases, 'Object', 'BaseModel'],
  name: 'n',
  description: null,
});
const results = (project: string, body: object): Promise<any> =>
  create(project, 'eval_results/query', body);

/** Evaluates as an SDK does: with whole calls. Returns the id of the run. */
async function evaluateBySdk(
  project_id: string,
  model: string,
  examples: readonly { readonly example: unknown; readonly score: number }[],
): Promise<string> {
  const runId = randomUUID();
  const opRef = (name: string) => `weave:///${project_id}/op/${name}:${'d'.repeat(43)}`;
  const times = (from: number) => ({
    started_at: `2026-03-01T10:00:0${from}.000000Z`,
    ended_at: `2026-03-01T10:00:0${from + 1}.000000Z`,
  });
  const call = (fields: object) => ({
    project_id,
    id: randomUUID(),
    trace_id: runId,
    attributes: {},
    summary: {},
    ...times(1),
    ...fields,
  });
  const run = call({
    id: runId,
    op_name: opRef('Evaluation.evaluate'),
    inputs: { self: ref(project_id, 'eval', 'e'), model },
    display_name: 'by sdk',
    output: { exact: { mean: 1 } },
    ...times(0),
  });
  const calls = examples.flatMap(({ example, score }) => {
    const trial = call({
      parent_id: runId,
      op_name: opRef('Evaluation.predict_and_score'),
      inputs: { self: run, model, example },
      output: { output: { reply: score }, scores: { exact: score }, model_latency: 1 },
    });
    const usage = {
      'gpt-x': { requests: 1, prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
    };
    return [
      trial,
      call({
        parent_id: trial.id,
        op_name: opRef('M.predict'),
        inputs: { self: model, q: 'a' },
        output: { reply: score },
        summary: { usage },
      }),
      call({
        parent_id: trial.id,
        op_name: opRef('exact'),
        inputs: { output: { reply: score } },
        output: score,
      }),
    ];
  });
  await server.post(at(project_id, 'calls/complete'), { batch: [...calls, run] });
  return runId;
}

/** Evaluates with the routes for runs, predictions and scores. Returns the ids. */
async function evaluateByRoutes(
  project: string,
  model: string,
  examples: readonly { readonly inputs: object; readonly score: unknown }[],
) {
  const evaluation = ref(project, 'eval', 'e');
  const { evaluation_run_id } = await create(project, 'evaluation_runs', { evaluation, model });
  const predictions: string[] = [];
  for (const { inputs, score } of examples) {
    const { prediction_id } = await create(project, 'predictions', {
      model,
      inputs,
      output: { reply: score },
      evaluation_run_id,
      genai_span_ref: [{ trace_id: 't', span_id: 's' }],
    });
    const scorer = ref(project, 'exact', 'x');
    await create(project, 'scores', { prediction_id, scorer, value: score, evaluation_run_id });
    await server.post(at(project, `predictions/${prediction_id}/finish`), undefined);
    predictions.push(prediction_id);
  }
  return { runId: evaluation_run_id as string, predictions };
}

describe('objects by class', () => {
  it('are the objects that an SDK reads: the code, the rows and the classes', async () => {
    const project = aProject();
    const op = await create(project, 'ops', { name: 'f', source_code: 'def f(): return "é"' });
    const dataset = await create(project, 'datasets', { name: 'd', rows: [{ a: 1 }, { a: 2 }] });
    const scorer = await create(project, 'scorers', {
      name: 's',
      op_source_code: 'def score(): ...',
    });
    const evaluation = await create(project, 'evaluations', {
      name: 'e',
      dataset: ref(project, 'd', dataset.digest),
      scorers: [scorer.scorer],
    });
    const model = await create(project, 'models', {
      name: 'm',
      source_code: 'class M: ...',
      attributes: { t: 0.5 },
    });

    const { objs } = await server.post('/objs/query', {
      project_id: project,
      filter: { is_op: false },
    });
    expect(
      objs.map((one: any) => [one.object_id, one.base_object_class, one.leaf_object_class]),
    ).toEqual([
      ['d', 'Dataset', 'Dataset'],
      ['s', 'Scorer', 'Scorer'],
      ['e', 'Evaluation', 'Evaluation'],
      ['m', 'Model', 'Model'],
    ]);
    const { obj } = await server.post('/obj/read', {
      project_id: project,
      object_id: 'f',
      digest: op.digest,
    });
    const code = await server.send('/file/content', {
      project_id: project,
      digest: obj.val.files['obj.py'],
    });
    expect(code.text).toBe('def f(): return "é"');
    const { vals } = await server.post('/refs/read_batch', {
      refs: [
        `${ref(project, 'e', evaluation.digest)}/attr/scorers/index/0/attr/score/attr/weave_type`,
        `${ref(project, 'e', evaluation.digest)}/attr/dataset/attr/name`,
        `${model.model_ref}/attr/t`,
      ],
    });
    expect(vals).toEqual([{ type: 'Op' }, 'd', 0.5]);
    const rows = (await get(project, `datasets/d/versions/${dataset.digest}`)).rows as string;
    const table = await server.post('/table/query', {
      project_id: project,
      digest: rows.split('/').at(-1),
    });
    expect(table.rows.map((row: any) => row.val)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('are also those that an SDK has published, subclasses and all versions', async () => {
    const project = aProject();
    const form = new FormData();
    form.append('project_id', project);
    form.append('file', new Blob(['class Mine: ...']), 'obj.py');
    const response = new Response(form);
    const file = await server.send('/file/create', new Uint8Array(await response.arrayBuffer()), {
      headers: { 'content-type': response.headers.get('content-type')! },
    });
    const mine = { ...ofClass('Mine', 'Model'), files: { 'obj.py': file.json().digest } };
    await publish(project, 'Mine', { ...mine, n: 1 });
    await publish(project, 'Mine', { ...mine, n: 2 });
    await publish(project, 'Data', { ...ofClass('Dataset'), rows: 'weave:///a/b/table/t' });
    await publish(project, 'other', { a: 1 });

    expect(await list(project, 'models')).toMatchObject([
      { object_id: 'Mine', version_index: 0, source_code: 'class Mine: ...', attributes: { n: 1 } },
      { object_id: 'Mine', version_index: 1, source_code: 'class Mine: ...', attributes: { n: 2 } },
    ]);
    expect(await list(project, 'datasets')).toMatchObject([
      { object_id: 'Data', rows: 'weave:///a/b/table/t' },
    ]);
    expect(await get(project, 'models/Mine/versions/latest')).toMatchObject({ version_index: 1 });
    expect(await list(project, 'scorers')).toEqual([]);
    const deleted = await server.send(at(project, 'models/Mine?digests=v0'), undefined, {
      method: 'DELETE',
    });
    expect(deleted.json()).toEqual({ num_deleted: 1 });
    const { objs } = await server.post('/objs/query', {
      project_id: project,
      filter: { object_ids: ['Mine'] },
    });
    expect(objs.map((one: any) => one.val.n)).toEqual([2]);
  });
});

/** JSON texts that a parser of JavaScript would change: they must come back as they are. */
const aText = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom('1.0', '12345678901234567890', '-0.0', '1e-7', '"\\u00e9"', '0.10', 'null'),
);
const anObject = fc
  .dictionary(fc.string({ unit: 'grapheme', maxLength: 8 }), aText, { maxKeys: 3 })
  .map((members) =>
    Object.entries(members).filter(
      ([name]) => !/^(_|name$|description$|files$|self$|this$)/.test(name),
    ),
  )
  .map(
    (members) => `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`,
  );

describe('every value', () => {
  it('that one interface writes the other reads, to the last digit', async () => {
    const project = aProject();
    const model = ref(project, 'm', 'd');
    const textOf = async (path: string, body?: object) =>
      (await server.send(path, body, { method: body ? 'POST' : 'GET' })).text;
    const post = async (path: string, body: string) => (await server.send(path, body)).json();

    await fc.assert(
      fc.asyncProperty(anObject, aText, async (object, text) => {
        const created = await post(
          at(project, 'models'),
          `{"name":"m","source_code":"x","attributes":${object}}`,
        );
        const version = { project_id: project, object_id: 'm', digest: created.digest };
        expect(await textOf('/obj/read', version)).toContain(object.slice(1, -1));
        const shown = object === '{}' ? 'null' : object;
        expect(await textOf(at(project, `models/m/versions/${created.digest}`))).toContain(
          `"attributes":${shown}`,
        );
        const members = object === '{}' ? '' : `,${object.slice(1, -1)}`;
        const head = JSON.stringify(ofClass('Mine', 'Model')).slice(0, -1);
        const { digest } = await post(
          '/obj/create',
          `{"obj":{"project_id":"${project}","object_id":"v1","val":${head}${members}}}}`,
        );
        expect(await textOf(at(project, `models/v1/versions/${digest}`))).toContain(
          `"attributes":${shown}`,
        );
        const { prediction_id } = await post(
          at(project, 'predictions'),
          `{"model":"${model}","inputs":${object},"output":${text}}`,
        );
        const call = await textOf('/call/read', { project_id: project, id: prediction_id });
        expect(call).toContain(`"inputs":{"self":"${model}","inputs":${object}},"output":${text},`);
        expect(await textOf(at(project, `predictions/${prediction_id}`))).toContain(
          `"inputs":${object},"output":${text}}`,
        );
        const { score_id } = await post(
          at(project, 'scores'),
          `{"prediction_id":"${prediction_id}","scorer":"${model}","value":${text}}`,
        );
        expect(await textOf(at(project, `scores/${score_id}`))).toContain(`"value":${text}}`);
      }),
      { numRuns: 8, seed: 20_261_116 },
    );
  });
});

describe('evaluations', () => {
  it('that the routes write are the calls that an SDK reads', async () => {
    const project = aProject();
    const model = ref(project, 'gpt', 'm');
    const { runId, predictions } = await evaluateByRoutes(project, model, [
      { inputs: { q: 'a' }, score: 1 },
      { inputs: { q: 'b' }, score: 0.5 },
    ]);
    await create(project, `evaluation_runs/${runId}/finish`, { summary: { note: 'x' } });
    await create(project, `evaluation_runs/${runId}/finish`, { summary: { note: 'y' } });

    const { calls } = await server.post('/calls/query', {
      project_id: project,
      filter: { trace_ids: [runId] },
    });
    const names = calls.map((one: any) => /(?:op\/)?([\w.]+)(?::\w+)?$/.exec(one.op_name)![1]);
    expect(names.sort()).toEqual([
      'Evaluation.evaluate',
      'Evaluation.predict_and_score',
      'Evaluation.predict_and_score',
      'Evaluation.summarize',
      'exact.score',
      'exact.score',
      'gpt.predict',
      'gpt.predict',
    ]);
    const root = calls.find((one: any) => one.id === runId);
    expect(root).toMatchObject({
      parent_id: null,
      inputs: { self: ref(project, 'eval', 'e'), model },
      output: { exact: { mean: 0.75 } },
      summary: { note: 'y', weave: { status: 'success' } },
    });
    const trial = calls.find((one: any) => one.inputs.example?.q === 'a');
    expect(trial).toMatchObject({
      parent_id: runId,
      output: { output: { reply: 1 }, scores: { exact: 1 } },
      attributes: { weave: { predict_call_id: predictions[0] } },
    });
    // Every op that a call names can be read, as the SDK does to show the code.
    const ops = calls.map((one: any) => one.op_name).filter((name: string) => name.includes('://'));
    const { vals } = await server.post('/refs/read_batch', { refs: [...new Set(ops)] });
    expect(vals.every((val: any) => val?.weave_type.type === 'Op')).toBe(true);
  });

  it('that an SDK writes are runs, predictions and scores', async () => {
    const project = aProject();
    const model = ref(project, 'M', 'm');
    const runId = await evaluateBySdk(project, model, [{ example: { q: 'a' }, score: 1 }]);

    expect(
      await list(project, `evaluation_runs?models=${encodeURIComponent(model)}`),
    ).toMatchObject([
      {
        evaluation_run_id: runId,
        evaluation: ref(project, 'eval', 'e'),
        model,
        status: 'completed',
      },
    ]);
    const predictions = await list(project, `predictions?evaluation_run_id=${runId}`);
    expect(predictions).toMatchObject([
      { model, inputs: { q: 'a' }, output: { reply: 1 }, evaluation_run_id: runId },
    ]);
    expect(await get(project, `predictions/${predictions[0].prediction_id}`)).toEqual(
      predictions[0],
    );
    const scores = await list(project, `scores?evaluation_run_id=${runId}`);
    expect(scores).toMatchObject([{ value: 1, evaluation_run_id: runId }]);
    expect(await get(project, `scores/${scores[0].score_id}`)).toEqual(scores[0]);
  });

  it('are compared row by row, by whichever interface they were written', async () => {
    const project = aProject();
    const { digest, object_id } = await create(project, 'datasets', {
      name: 'd',
      rows: [{ q: 'a' }, { q: 'b' }, { q: 'c' }],
    });
    const { rows } = await get(project, `datasets/d/versions/${digest}`);
    const table = await server.post('/table/query', {
      project_id: project,
      digest: rows.split('/').at(-1),
    });
    const rowRef = (i: number) =>
      `${ref(project, object_id, digest)}/attr/rows/id/${table.rows[i].digest}`;
    const sdk = await evaluateBySdk(project, ref(project, 'M', 'm'), [
      { example: rowRef(0), score: 1 },
      { example: rowRef(1), score: 0 },
      { example: rowRef(2), score: 0.5 },
    ]);
    const { runId } = await evaluateByRoutes(project, ref(project, 'gpt', 'm'), [
      { inputs: { q: 'a' }, score: 0.5 },
      { inputs: { q: 'b' }, score: 1 },
    ]);
    const price = { prompt_token_cost: 0.5, completion_token_cost: 0.25 };
    await server.post('/cost/create', { project_id: project, costs: { 'gpt-x': price } });
    const both = { evaluation_call_ids: [sdk], evaluation_run_ids: [runId, sdk] };
    const raw = { include_raw_data_rows: true, resolve_row_refs: true };
    const shown = (response: any) =>
      response.rows.map((row: any) => [
        row.raw_data_row.q,
        row.evaluations.map((one: any) => one.trials[0].scores.exact),
      ]);

    const all = await results(project, {
      ...both,
      ...raw,
      include_summary: true,
      sort_by: [{ field: 'inputs.q', direction: 'asc' }],
    });
    expect(shown(all)).toEqual([
      ['a', [1, 0.5]],
      ['b', [0, 1]],
      ['c', [0.5]],
    ]);
    expect(all).toMatchObject({ total_rows: 3, warnings: [], summary: { row_count: 3 } });
    expect(all.summary.evaluations).toMatchObject([
      {
        evaluation_call_id: sdk,
        trial_count: 3,
        predict_total_tokens: 12,
        display_name: 'by sdk',
        scorer_stats: [{ scorer_key: 'exact', numeric_mean: 0.5, value_type: 'continuous' }],
      },
      { evaluation_call_id: runId, trial_count: 2, predict_total_tokens: null },
    ]);
    expect(all.rows[0].evaluations[1].trials[0].genai_span_ref).toEqual([
      { trace_id: 't', span_id: 's' },
    ]);
    const byScore = { field: 'scores.exact', direction: 'desc', evaluation_call_id: runId };
    const shared = await results(project, {
      ...both,
      ...raw,
      require_intersection: true,
      sort_by: [byScore],
      limit: 1,
    });
    expect(shown(shared)).toEqual([['b', [0, 1]]]);
    expect(shared.total_rows).toBe(2);
    const spread = { field: 'scores.exact', direction: 'desc', mode: 'difference' };
    expect(shown(await results(project, { ...both, ...raw, sort_by: [spread], limit: 2 }))).toEqual(
      [
        ['b', [0, 1]],
        ['a', [1, 0.5]],
      ],
    );
    const isB = { $eq: [{ $getField: 'inputs.q' }, { $literal: 'b' }] };
    const filtered = await results(project, {
      ...both,
      ...raw,
      include_costs: true,
      filters: [{ query: { $expr: isB }, evaluation_call_id: sdk }],
    });
    expect(shown(filtered)).toEqual([['b', [0, 1]]]);
    const [bySdk, byRoutes] = filtered.rows[0].evaluations;
    expect(bySdk.trials[0]).toMatchObject({ total_tokens: 4, total_cost: 1.75 });
    expect(byRoutes.trials[0]).toMatchObject({ total_tokens: null, total_cost: null });
    const costs = await results(project, {
      ...both,
      include_rows: false,
      include_summary: true,
      include_costs: true,
    });
    expect(costs.summary.evaluations.map((one: any) => one.predict_total_cost)).toEqual([
      5.25,
      null,
    ]);
    const small = await results(project, { ...both, include_model_outputs: false });
    expect(small.rows[0].evaluations[0].trials[0]).toMatchObject({
      ...{ model_output: null, total_tokens: 4 },
    });
    const none = await results(project, { ...both, include_rows: false, include_summary: true });
    expect(none).toMatchObject({ rows: [], total_rows: 0, summary: { row_count: 3 } });
  });

  it('are finished by whom they belong to: a key that only adds ends its own runs alone', async () => {
    const project = aProject();
    const model = ref(project, 'gpt', 'm');
    const { runId } = await evaluateByRoutes(project, model, [{ inputs: { q: 'a' }, score: 1 }]);
    const { key } = await server.post('/admin/keys/create', {
      user: 'adder',
      scope: project,
      role: 'ingest',
    });

    const finish = await server.send(at(project, `evaluation_runs/${runId}/finish`), {}, { key });
    expect(finish.status).toBe(200);
    expect(await get(project, `evaluation_runs/${runId}`)).toMatchObject({ status: 'running' });
  });
});
