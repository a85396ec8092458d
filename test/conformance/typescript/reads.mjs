// Queries of calls: order, columns, pages, expansion, feedback, trees and counts. `getCalls` of the client has a filter
// and a limit only; the other queries use its generated API.
import { deepEqual, equal, ok } from 'node:assert/strict';
import * as weave from 'weave';
import { callsOf, run, scenario } from './scenario.mjs';

/** The calls that a query finds, from the lines of the stream. */
async function found(client, query) {
  const { calls } = client.traceServerApi;
  const project_id = client.projectId;
  const response = await calls.callsQueryStreamCallsStreamQueryPost({ project_id, ...query });
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

async function counted(client, query) {
  const { calls } = client.traceServerApi;
  const project_id = client.projectId;
  return (await calls.callsQueryStatsCallsQueryStatsPost({ project_id, ...query })).data.count;
}

const squared = async (client, count) => {
  const square = weave.op(async function square(n) {
    if (n === 3) throw new Error('three is not allowed');
    return { square: n * n, label: n % 2 === 0 ? 'even' : 'odd' };
  });
  for (let n = 0; n < count; n++) await square(n).catch(() => undefined);
  await client.waitForBatchProcessing();
};

const numbers = (calls) => calls.map(({ inputs }) => inputs.arg0);
const field = (name) => ({ $getField: name });
const literal = (value) => ({ $literal: value });

scenario('sorts, limits and pages, forwards and backwards', async (client) => {
  await squared(client, 7);
  const down = [{ field: 'inputs.arg0', direction: 'desc' }];
  deepEqual(numbers(await found(client, { sort_by: down })), [6, 5, 4, 3, 2, 1, 0]);
  const latest = [{ field: 'started_at', direction: 'desc' }];
  deepEqual(numbers(await found(client, { sort_by: latest, limit: 2 })), [6, 5]);
  deepEqual(numbers(await found(client, { limit: 2, offset: 3 })), [3, 4]);
  const byLabel = [
    { field: 'output.label', direction: 'asc' },
    { field: 'inputs.arg0', direction: 'desc' },
  ];
  const even = { $expr: { $eq: [field('output.label'), literal('even')] } };
  deepEqual(numbers(await found(client, { sort_by: byLabel, query: even })), [6, 4, 2, 0]);
});

scenario('returns only the requested columns', async (client) => {
  await squared(client, 2);
  const [, call] = await found(client, { columns: ['output.square', 'started_at'] });
  equal(call.output.square, 1);
  deepEqual([call.inputs, call.attributes, call.summary], [{}, {}, null]);
  ok(call.id && call.started_at);
  const [whole] = await found(client, {});
  equal(whole.output.label, 'even');
});

scenario('counts the calls that a filter or a query finds', async (client) => {
  await squared(client, 6);
  equal(await counted(client, {}), 6);
  const failed = { $expr: { $eq: [field('summary.weave.status'), literal('error')] } };
  equal(await counted(client, { query: failed }), 1);
  const large = { $expr: { $gt: [field('output.square'), literal(4)] } };
  equal(await counted(client, { query: large }), 2);
  equal(await counted(client, { filter: { op_names: ['weave:///acme/other/op/x:*'] } }), 0);
});

scenario('expands refs in inputs, and filters and sorts by their values', async (client) => {
  const response = weave.op(async function response(config) {
    return config.model;
  });
  const configs = [
    { model: 'small', temperature: 0.1 },
    { model: 'large', temperature: 0.9 },
  ];
  for (const config of configs) {
    await client.publish(config, `config-${config.model}`);
    await response(config);
  }
  const [small] = await callsOf(client);
  equal(small.inputs.arg0, (await configs[0].__savedRef).uri());

  const expand_columns = ['inputs.arg0'];
  const warm = { $expr: { $gt: [field('inputs.arg0.temperature'), literal(0.5)] } };
  const [first, ...others] = await found(client, { query: warm, expand_columns });
  deepEqual([first.output, others], ['large', []]);
  deepEqual(first.inputs.arg0.model, 'large');
  const down = [{ field: 'inputs.arg0.temperature', direction: 'desc' }];
  const ordered = await found(client, { sort_by: down, expand_columns });
  deepEqual(
    ordered.map(({ output }) => output),
    ['large', 'small'],
  );
  const named = await client.getCalls({ input_refs: [small.inputs.arg0] });
  deepEqual(
    named.map(({ id }) => id),
    [small.id],
  );
});

scenario('walks a tree of calls by roots, parents and trace', async (client) => {
  const leaf = weave.op(async function leaf(n) {
    return n;
  });
  const branch = weave.op(async function branch(n) {
    return (await leaf(n)) + (await leaf(n + 1));
  });
  const trunk = weave.op(async function trunk() {
    return (await branch(0)) + (await branch(10));
  });

  const [, { id, trace_id }] = await trunk.invoke();
  equal((await callsOf(client, { trace_ids: [trace_id] })).length, 7);
  const outputs = (calls) => calls.map(({ output }) => output);
  const branches = await client.getCalls({ parent_ids: [id] });
  deepEqual(outputs(branches), [1, 21]);
  const leaves = await client.getCalls({ parent_ids: branches.map((call) => call.id) });
  deepEqual(outputs(leaves), [0, 1, 10, 11]);
  deepEqual(
    (await client.getCalls({ trace_roots_only: true })).map((call) => call.id),
    [id],
  );
});

scenario('returns calls with their feedback', async (client) => {
  await squared(client, 2);
  const [first] = await client.getCalls();
  const { data } = await client.traceServerApi.feedback.feedbackCreateFeedbackCreatePost({
    project_id: client.projectId,
    weave_ref: `weave:///${client.projectId}/call/${first.id}`,
    feedback_type: 'rating',
    payload: { stars: 5 },
  });

  const [rated, unrated] = await found(client, { include_feedback: true });
  deepEqual(
    rated.summary.weave.feedback.map(({ id, payload }) => [id, payload]),
    [[data.id, { stars: 5 }]],
  );
  deepEqual(unrated.summary.weave.feedback ?? [], []);
  const isRated = { $expr: { $gte: [field('feedback.[rating].payload.stars'), literal(5)] } };
  deepEqual(numbers(await found(client, { query: isRated })), [0]);
});

await run();
