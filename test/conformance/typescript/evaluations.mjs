// Evaluations, the results of scorers, and the cost of calls.
import { deepEqual, equal, ok } from 'node:assert/strict';
import * as weave from 'weave';
import { callsOf, run, scenario } from './scenario.mjs';

const ROWS = [
  { question: '2 + 2', expected: 4 },
  { question: '3 + 3', expected: 6 },
  { question: '1 + 1', expected: 3 },
];

const calculate = () =>
  weave.op(async function calculate({ datasetRow }) {
    const [a, b] = datasetRow.question.split(' + ').map(Number);
    return a + b;
  });

/** The client has no methods for the routes of evaluations. */
function send({ projectId }, path, body) {
  const credentials = Buffer.from(`api:${process.env.WANDB_API_KEY}`).toString('base64');
  return fetch(`${process.env.WF_TRACE_SERVER_URL}/v2/${projectId}/${path}`, {
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
}

const lines = async (client, path) =>
  (await (await send(client, path)).text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const opOf = ({ op_name }) => /\/op\/([^:]+):/.exec(op_name)?.[1] ?? op_name;

scenario('runs an evaluation and stores its predictions, scores and summary', async (client) => {
  const dataset = new weave.Dataset({ name: 'sums', rows: ROWS });
  const exact = weave.op(function exact({ modelOutput, datasetRow }) {
    return modelOutput === datasetRow.expected;
  });
  const evaluation = new weave.Evaluation({ name: 'sums-eval', dataset, scorers: [exact] });

  const results = await evaluation.evaluate({ model: calculate() });
  const calls = await callsOf(client);

  deepEqual(results.exact, { true_count: 2, true_fraction: 2 / 3 });
  const [root] = calls.filter(({ parent_id }) => !parent_id);
  deepEqual(root.output.exact, { true_count: 2, true_fraction: 2 / 3 });
  const predictions = calls.filter((call) => opOf(call) === 'calculate');
  deepEqual(predictions.map(({ output }) => output).sort(), [2, 4, 6]);
  const scores = calls.filter((call) => opOf(call) === 'exact');
  deepEqual(scores.map(({ output }) => output).sort(), [false, true, true]);
  ok(calls.every(({ trace_id }) => trace_id === root.trace_id));
});

scenario('logs an evaluation step by step, with scores on its predictions', async (client) => {
  const logger = new weave.EvaluationLogger({ name: 'by-hand', model: { name: 'mine' } });
  for (const { question, expected } of ROWS) {
    const prediction = await logger.logPredictionAsync({ question }, expected);
    await prediction.logScore('right', true);
    await prediction.logScore('length', String(expected).length);
    await prediction.finish();
  }
  await logger.logSummary({ verdict: 'fine' });

  const calls = await callsOf(client);
  const [root] = calls.filter(({ parent_id }) => !parent_id);
  equal(root.output.verdict, 'fine');
  equal(calls.filter((call) => opOf(call) === 'Evaluation.predict_and_score').length, 3);
});

scenario(
  'writes runs, predictions and scores that the routes for evaluations read',
  async (client) => {
    const dataset = new weave.Dataset({ name: 'sums', rows: ROWS });
    const exact = weave.op(function exact({ modelOutput, datasetRow }) {
      return modelOutput === datasetRow.expected;
    });
    await new weave.Evaluation({ name: 'e', dataset, scorers: [exact] }).evaluate({
      model: calculate(),
    });
    await client.waitForBatchProcessing();

    const [{ evaluation_run_id: id, status }] = await lines(client, 'evaluation_runs');
    equal(status, 'completed');
    const predictions = await lines(client, `predictions?evaluation_run_id=${id}`);
    deepEqual(predictions.map(({ output }) => output).sort(), [2, 4, 6]);
    const scores = await lines(client, `scores?evaluation_run_id=${id}`);
    deepEqual(scores.map(({ value }) => value).sort(), [false, true, true]);
    const response = await send(client, 'eval_results/query', {
      evaluation_call_ids: [id],
      include_raw_data_rows: true,
      resolve_row_refs: true,
      include_summary: true,
      sort_by: [{ field: 'inputs.question', direction: 'asc' }],
    });
    const { rows, summary, warnings } = await response.json();
    deepEqual(warnings, []);
    deepEqual(
      rows.map(({ raw_data_row, evaluations }) => [
        raw_data_row.question,
        evaluations[0].trials[0].scores.exact,
      ]),
      [
        ['1 + 1', false],
        ['2 + 2', true],
        ['3 + 3', true],
      ],
    );
    equal(summary.evaluations[0].scorer_stats[0].pass_rate, 2 / 3);
  },
);

scenario('stores the result of a scorer on the call it scored', async (client) => {
  const response = weave.op(async function response() {
    return 'yes';
  });
  const judge = weave.op(async function judge() {
    return { good: true };
  });
  const [, call] = await response.invoke();
  const [result, scored] = await judge.invoke();
  await client.waitForBatchProcessing();
  const { op_name } = await client.getCall(scored.id);

  const id = await client.addScore(call.id, scored.id, op_name, result);

  const { data } = await client.traceServerApi.feedback.feedbackQueryFeedbackQueryPost({
    project_id: client.projectId,
  });
  const [feedback] = data.result;
  deepEqual(
    [feedback.id, feedback.feedback_type, feedback.payload.output],
    [id, 'wandb.runnable.judge', { good: true }],
  );
});

scenario('computes the cost of a call with the default prices', async (client) => {
  const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
  const chat = weave.op(
    async function chat() {
      return { model: 'gpt-4o', usage };
    },
    { summarize: ({ model }) => ({ usage: { [model]: { requests: 1, ...usage } } }) },
  );

  const [, call] = await chat.invoke();
  await client.waitForBatchProcessing();
  const { summary } = await client.getCall(call.id, true);
  ok(summary.weave.costs['gpt-4o'].prompt_tokens_total_cost > 0, JSON.stringify(summary));
});

scenario(
  'traces a wrapped client of OpenAI, plain and streamed, with the costs of both',
  async (client) => {
    const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
    const openai = weave.wrapOpenAI(fakeOpenAI(usage));
    const messages = [{ role: 'user', content: 'Who am I?' }];

    const plain = await openai.chat.completions.create({ model: 'gpt-4o', messages });
    equal(plain.choices[0].message.content, 'Ada');
    let received = '';
    const stream = await openai.chat.completions.create({
      model: 'gpt-4o',
      messages,
      stream: true,
    });
    for await (const { choices } of stream) received += choices[0]?.delta.content ?? '';
    equal(received, 'Ada');

    await client.waitForBatchProcessing();
    const calls = await client.getCalls({}, true);
    equal(calls.length, 2);
    for (const call of calls) {
      ok(call.op_name.includes('openai.chat.completions.create'), call.op_name);
      deepEqual(call.inputs.messages, messages);
      equal(call.output.choices[0].message.content, 'Ada');
      equal(call.summary.usage['gpt-4o'].prompt_tokens, 1000);
      ok(call.summary.weave.costs['gpt-4o'].completion_tokens_total_cost > 0);
    }
  },
);

/** The part of the OpenAI client that the SDK wraps, without a network. */
function fakeOpenAI(usage) {
  const create = async ({ model, stream }) => (stream ? pieces(model) : whole(model));
  const whole = (model) => ({
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Ada' }, finish_reason: 'stop' }],
    usage,
  });
  const piece = (model, content) => ({ model, choices: [{ index: 0, delta: { content } }] });
  async function* pieces(model) {
    yield piece(model, 'A');
    yield piece(model, 'da');
    yield { model, choices: [], usage };
  }
  return { chat: { completions: { create } }, images: {}, beta: {} };
}

await run();
