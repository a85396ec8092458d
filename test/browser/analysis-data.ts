import { randomUUID } from 'node:crypto';
import type { TestServer } from '../support/test-server.js';

const at = (ms: number) => new Date(ms).toISOString();

interface Dataset {
  readonly ref: string;
  readonly tableDigest: string;
  readonly rowRefs: readonly string[];
}

/** A table and a dataset of it, as the SDK publishes them. */
export async function publishDataset(
  server: TestServer,
  project_id: string,
  name: string,
  rows: readonly object[],
): Promise<Dataset> {
  const table = await server.post('/table/create', { table: { project_id, rows } });
  const { digest } = await server.post('/obj/create', {
    obj: {
      project_id,
      object_id: name,
      val: {
        _type: 'Dataset',
        _class_name: 'Dataset',
        _bases: ['Object', 'BaseModel'],
        name,
        rows: `weave:///${project_id}/table/${table.digest}`,
      },
    },
  });
  const ref = `weave:///${project_id}/object/${name}:${digest}`;
  const rowRefs = table.row_digests.map((one: string) => `${ref}/attr/rows/id/${one}`);
  return { ref, tableDigest: table.digest, rowRefs };
}

export interface Evaluated {
  readonly example: string;
  readonly isRight: boolean;
  readonly seconds: number;
}

/** Runs an evaluation as the Python SDK does: with whole calls. Returns the id of the run. */
export async function evaluate(
  server: TestServer,
  project_id: string,
  model: string,
  examples: readonly Evaluated[],
): Promise<string> {
  const runId = randomUUID();
  const startMs = Date.now() - 600_000;
  const opRef = (name: string) => `weave:///${project_id}/op/${name}:${'d'.repeat(43)}`;
  const modelRef = `weave:///${project_id}/object/${model}:${'m'.repeat(43)}`;
  const call = (fields: object) => ({
    project_id,
    id: randomUUID(),
    trace_id: runId,
    attributes: {},
    summary: {},
    started_at: at(startMs),
    ended_at: at(startMs + 1000),
    ...fields,
  });
  const right = examples.filter(({ isRight }) => isRight).length;
  const evaluation = `weave:///${project_id}/object/quiz-evaluation:${'e'.repeat(43)}`;
  const run = call({
    id: runId,
    op_name: opRef('Evaluation.evaluate'),
    inputs: { self: evaluation, model: modelRef },
    display_name: `${model} on quiz`,
    output: { correct: { true_count: right, true_fraction: right / examples.length } },
  });
  const calls = examples.flatMap(({ example, isRight, seconds }) => {
    const output = isRight ? 'the right reply' : 'a wrong reply';
    const trial = call({
      parent_id: runId,
      op_name: opRef('Evaluation.predict_and_score'),
      inputs: { self: evaluation, model: modelRef, example },
      output: { output, scores: { correct: isRight }, model_latency: seconds },
    });
    const prediction = call({
      parent_id: trial.id,
      op_name: opRef(`${model}.predict`),
      inputs: { self: modelRef, text: 'q' },
      output,
      ended_at: at(startMs + seconds * 1000),
    });
    return [trial, prediction];
  });
  await server.post(`/v2/${project_id}/calls/complete`, { batch: [...calls, run] });
  return runId;
}
