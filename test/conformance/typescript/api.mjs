// The operations for which the TypeScript client has no methods, through its generated API.
import { deepEqual, equal, ok } from 'node:assert/strict';
import * as weave from 'weave';
import { callsOf, run, scenario } from './scenario.mjs';

scenario('logs in with the key', async () => {
  await weave.login(process.env.WANDB_API_KEY);
});

scenario('deletes a call with all its descendants, and only those', async (client) => {
  const child = weave.op(async function child() {
    return 1;
  });
  const parent = weave.op(async function parent() {
    return child();
  });
  // An op returns the same object for every call, so its fields are read at once.
  const [, { id: gone }] = await parent.invoke();
  const [, { trace_id: stays }] = await parent.invoke();
  equal((await callsOf(client)).length, 4);

  const { data } = await client.traceServerApi.calls.callsDeleteCallsDeletePost({
    project_id: client.projectId,
    call_ids: [gone],
  });

  equal(data.num_deleted, 2);
  const left = await client.getCalls();
  deepEqual(new Set(left.map(({ trace_id }) => trace_id)), new Set([stays]));
});

scenario('counts and reads calls', async (client) => {
  const count = weave.op(async function count(n) {
    return n;
  });
  for (const n of [1, 2, 3]) await count(n);
  const [first] = await callsOf(client);

  const { calls, call } = client.traceServerApi;
  const project_id = client.projectId;
  const even = { $expr: { $eq: [{ $getField: 'output' }, { $literal: 2 }] } };
  const stats = (body) => calls.callsQueryStatsCallsQueryStatsPost({ project_id, ...body });
  equal((await stats({})).data.count, 3);
  equal((await stats({ query: even })).data.count, 1);
  equal((await call.callReadCallReadPost({ project_id, id: first.id })).data.call.output, 1);
});

scenario('creates feedback of every kind, finds, replaces and purges it', async (client) => {
  const response = weave.op(async function response() {
    return 'yes';
  });
  const [, call] = await response.invoke();
  await client.waitForBatchProcessing();
  const { feedback } = client.traceServerApi;
  const project_id = client.projectId;
  const weave_ref = `weave:///${project_id}/call/${call.id}`;
  const give = async (feedback_type, payload) =>
    (
      await feedback.feedbackCreateFeedbackCreatePost({
        project_id,
        weave_ref,
        feedback_type,
        payload,
      })
    ).data.id;
  const found = async () =>
    (await feedback.feedbackQueryFeedbackQueryPost({ project_id })).data.result;

  const emoji = await give('wandb.reaction.1', { emoji: '👍' });
  const note = await give('wandb.note.1', { note: 'well said' });
  const own = await give('correctness', { value: 4 });
  deepEqual((await found()).map(({ id }) => id).sort(), [emoji, note, own].sort());
  await feedback.feedbackPurgeFeedbackPurgePost({
    project_id,
    query: { $expr: { $eq: [{ $getField: 'id' }, { $literal: note }] } },
  });
  deepEqual((await found()).map(({ id }) => id).sort(), [emoji, own].sort());

  const { data: replaced } = await feedback.feedbackReplaceFeedbackReplacePost({
    project_id,
    weave_ref,
    feedback_type: 'correctness',
    payload: { value: 5 },
    feedback_id: own,
  });
  deepEqual(replaced.payload, { value: 5 });
  deepEqual(
    (await found()).filter(({ id }) => id !== emoji).map(({ id, payload }) => [id, payload]),
    [[replaced.id, { value: 5 }]],
  );
});

scenario('sets a price, computes the cost of a call with it, and purges it', async (client) => {
  const { cost } = client.traceServerApi;
  const project_id = client.projectId;
  const price = { prompt_token_cost: 0.01, completion_token_cost: 0.02 };
  const { data } = await cost.costCreateCostCreatePost({ project_id, costs: { mine: price } });
  const [[model, id]] = data.ids;
  const usage = { mine: { requests: 1, prompt_tokens: 100, completion_tokens: 10 } };
  const chat = weave.op(async () => 'yes', { name: 'chat', summarize: () => ({ usage }) });
  const [, call] = await chat.invoke();
  await client.waitForBatchProcessing();

  equal(model, 'mine');
  const { summary } = await client.getCall(call.id, true);
  ok(Math.abs(summary.weave.costs.mine.prompt_tokens_total_cost - 1) < 1e-9);
  ok(Math.abs(summary.weave.costs.mine.completion_tokens_total_cost - 0.2) < 1e-9);
  const query = { $expr: { $eq: [{ $getField: 'id' }, { $literal: id }] } };
  await cost.costPurgeCostPurgePost({ project_id, query });
  deepEqual((await cost.costQueryCostQueryPost({ project_id })).data.results, []);
});

scenario('lists objects', async (client) => {
  await client.publish({ a: 1 }, 'first');
  await client.publish({ a: 2 }, 'first');
  await client.publish({ a: 3 }, 'second');

  const { data } = await client.traceServerApi.objs.objsQueryObjsQueryPost({
    project_id: client.projectId,
    filter: { latest_only: true },
  });
  deepEqual(data.objs.map(({ object_id, version_index }) => [object_id, version_index]).sort(), [
    ['first', 1],
    ['second', 0],
  ]);
});

await run();
