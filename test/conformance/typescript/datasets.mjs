// Tables and their versions. The client publishes and reads datasets. It has no method to add rows, so the scenarios use
// its generated API.
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import * as weave from 'weave';
import { run, scenario } from './scenario.mjs';

const fresh = (client, ref) =>
  client.get(new weave.ObjectRef(ref.projectId, ref.objectId, ref.digest));
const numbers = (dataset) => dataset.rows.rows.map(({ n }) => n);

/** The digest of the table behind a dataset. */
async function tableOf(client, { objectId: object_id, digest }) {
  const project_id = client.projectId;
  const { data } = await client.traceServerApi.obj.objReadObjReadPost({
    project_id,
    object_id,
    digest,
  });
  return { val: data.obj.val, base_digest: data.obj.val.rows.split('/').pop() };
}

/** Publishes the next version of a dataset: its table with some changes. */
async function changed(client, ref, updates) {
  const project_id = client.projectId;
  const { val, base_digest } = await tableOf(client, ref);
  const { data } = await client.traceServerApi.table.tableUpdateTableUpdatePost({
    project_id,
    base_digest,
    updates,
  });
  const rows = `weave:///${project_id}/table/${data.digest}`;
  const made = await client.traceServerApi.obj.objCreateObjCreatePost({
    obj: { project_id, object_id: ref.objectId, val: { ...val, rows } },
  });
  return new weave.ObjectRef(project_id, ref.objectId, made.data.digest);
}

scenario('appends to a dataset as a new version and keeps the old one', async (client) => {
  const dataset = new weave.Dataset({ name: 'grows', rows: [{ n: 0 }, { n: 1 }] });
  const first = await dataset.save();

  const second = await changed(client, first, [
    { append: { row: { n: 2 } } },
    { append: { row: { n: 3 } } },
  ]);

  notEqual(second.digest, first.digest);
  deepEqual(numbers(await fresh(client, second)), [0, 1, 2, 3]);
  deepEqual(numbers(await fresh(client, { ...first })), [0, 1]);
  const latest = new weave.ObjectRef(client.projectId, 'grows', 'latest');
  deepEqual(numbers(await client.get(latest)), [0, 1, 2, 3]);
});

scenario('inserts rows into a dataset and removes rows from it', async (client) => {
  const dataset = new weave.Dataset({ name: 'moves', rows: [{ n: 0 }, { n: 1 }, { n: 2 }] });
  const first = await dataset.save();
  const second = await changed(client, first, [
    { pop: { index: 0 } },
    { insert: { index: 1, row: { n: 9 } } },
  ]);
  deepEqual(numbers(await fresh(client, second)), [1, 9, 2]);
});

scenario('reads a table in pages, and counts its rows', async (client) => {
  const rows = Array.from({ length: 30 }, (_, n) => ({ n }));
  const ref = await new weave.Dataset({ name: 'paged', rows }).save();
  const { base_digest: digest } = await tableOf(client, ref);
  const project_id = client.projectId;

  const { table } = client.traceServerApi;
  const stats = await table.tableQueryStatsTableQueryStatsPost({ project_id, digest });
  equal(stats.data.count, 30);
  const sort_by = [{ field: 'n', direction: 'desc' }];
  const page = { project_id, digest, limit: 3, offset: 2 };
  const values = ({ data }) => data.rows.map(({ val }) => val.n);
  deepEqual(values(await table.tableQueryTableQueryPost(page)), [2, 3, 4]);
  deepEqual(values(await table.tableQueryTableQueryPost({ ...page, sort_by })), [27, 26, 25]);
});

scenario('reads many refs at once, also refs to rows of datasets', async (client) => {
  const dataset = new weave.Dataset({ name: 'read', rows: [{ n: 7 }] });
  const saved = await dataset.save();
  const row = await dataset.getRow(0).__savedRef;
  const config = await client.publish({ a: { b: [1, 'x'] } }, 'config');

  const refs = [row.uri(), `${config.uri()}/key/a/key/b/index/1`, config.uri()];
  const { data } = await client.traceServerApi.refs.refsReadBatchRefsReadBatchPost({ refs });
  deepEqual(data.vals, [{ n: 7 }, 'x', { a: { b: [1, 'x'] } }]);
  equal(saved.objectId, 'read');
});

await run();
