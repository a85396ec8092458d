import { randomUUID } from 'node:crypto';
import { bind, raw, Removal, sql, type Store } from '@app/clickhouse';
import { encodeDigestList, encodeRowList, type AnyRecordFact, type Ordered } from '@app/events';
import { createLogger } from '@app/observability';
import { Ledger, QueueProgress, VersionNames } from '@app/queue';
import { KEY_PREFIX, Redis } from '@app/redis';
import { micros, millis, nowMillis } from '@app/wire';
import { ErasedRows } from '../../apps/worker/src/erasure/erased-rows.js';
import {
  otherDeletions,
  type ErasureTarget,
} from '../../apps/worker/src/erasure/erasure-target.js';
import { LateRecords } from '../../apps/worker/src/erasure/late-records.js';
import { LateRecordsJob } from '../../apps/worker/src/erasure/late-records-job.js';
import { RecentErasures } from '../../apps/worker/src/erasure/recent-erasures.js';
import { CallLog } from '../../apps/worker/src/calls/call-log.writer.js';
import { MAX_FLUSH_MS } from '../../apps/worker/src/pipeline/flush-age.js';
import { ReceiptsRemoval } from '../../apps/worker/src/pipeline/receipts.removal.js';
import { RecordsWriter } from '../../apps/worker/src/records/records.writer.js';
import { RewriteLock } from '../../apps/worker/src/repair/rewrite-lock.js';
import { aFact } from '../support/facts.js';
import { aProject } from '../support/test-server.js';
import { theRedis } from '../support/queue.js';
import { openOwnStore } from '../support/store.js';
import { recordsRebuildOn } from '../support/worker.js';

let store: Store;
let redis: Redis;
let writer: RecordsWriter;

beforeAll(async () => {
  store = await openOwnStore();
  redis = new Redis(theRedis(3));
  writer = new RecordsWriter(store);
}, 60_000);
afterAll(async () => {
  redis.disconnect();
  await store.close();
});

/** Tables with rows of records, and an expression for what a row is about. */
const NAMES: Readonly<Record<string, string>> = {
  record_events: `concat(type, ' ', user_id)`,
  objects: 'object_id',
  object_tags: 'object_id',
  object_aliases: 'object_id',
  feedback: 'id',
  projects: 'toString(retention_days)',
  annotation_queues: 'id',
  annotation_items: 'id',
  dataset_sources: 'id',
  tables: 'digest',
  table_positions: 'digest',
  table_rows: 'digest',
  files: 'digest',
};

const namesIn = async (projectId: string) => {
  const names: Record<string, string[]> = {};
  for (const [table, name] of Object.entries(NAMES)) {
    const rows = await store.rows<{ name: string }>(
      sql`SELECT DISTINCT ${raw(name)} AS name FROM ${raw(table)}
        WHERE project_id = ${bind('String', projectId)} ORDER BY name`,
    );
    names[table] = rows.map((row) => row.name);
  }
  return names;
};

/** Facts of each type by one user, about things with this name. Their content was uploaded three hours ago. */
function factsOf(
  projectId: string,
  userId: string,
  name: string,
  from = 0,
): Ordered<AnyRecordFact>[] {
  const base = Date.now() * 1000 - 3 * 3_600_000_000 + from;
  const ref = { objectId: name, digest: name };
  const feedback = { id: name, ref: '', callId: '', type: 'note', creator: userId };
  const refs = { annotationRef: '', runnableRef: '', callRef: '', triggerRef: '', queueId: '' };
  const call = { callId: 'c', startedAt: 0, endedAt: 0, opName: '', traceId: '' };
  const source = { kind: 'call', sourceId: 'c', traceId: '', startedAt: 0, displayName: '' };
  const row = { digest: `${name}-row`, val: Buffer.from('{}') };
  const facts: [string, object, Buffer?][] = [
    ['ObjectPublished', { ...ref, kind: 'object', baseClass: '', leafClass: '' }],
    ['TagChanged', { ...ref, tag: 't', isSet: true }],
    ['AliasChanged', { ...ref, alias: 'a' }],
    ['FeedbackGiven', { ...feedback, ...refs, scorer: {}, span: {}, addsOnly: from > 0 }],
    ['RetentionSet', { days: 30 }],
    ['AnnotationQueueCreated', { id: name, name: 'n', description: '', scorerRefs: [] }],
    ['AnnotationItemAdded', { id: name, queueId: name, ...call, displayFields: [] }],
    ['DatasetSourceLinked', { id: name, datasetId: name, rowDigest: '', ...source }],
    ['RowsAdded', { count: 1 }, encodeRowList([row])],
    ['TableCreated', { digest: name, rowCount: 1, from: 0 }, encodeDigestList([row.digest])],
    ['FileStored', { digest: name, name: 'f', chunk: 0, chunkCount: 1 }, Buffer.from('bytes')],
  ];
  const chunkId = randomUUID();
  return facts.map(([type, data, body = Buffer.from('{}')], index) => {
    const order = { seq: base + index, versionIndex: 0, chunkId, index };
    const head = { type, projectId, userId, receivedAt: micros(base + index) };
    return { ...head, data, body, ...order } as unknown as Ordered<AnyRecordFact>;
  });
}

const erasedRows = () => {
  const removal = new Removal(store);
  return new ErasedRows(
    store,
    removal,
    new ReceiptsRemoval(store, removal, new QueueProgress(redis)),
  );
};

/** Deletes what an erasure of the target deletes, and resolves to what the job reads of it. */
async function erase(target: ErasureTarget, facts: readonly Ordered<AnyRecordFact>[], ago = 0) {
  for (const deletion of otherDeletions(target))
    await erasedRows().remove(target.projectId, deletion, {});
  const seq = Math.max(...facts.map((fact) => fact.seq));
  await new RecentErasures(redis).add({ target, seq, at: millis(nowMillis() - ago) });
}

const run = () =>
  new LateRecordsJob(
    new RecentErasures(redis),
    new LateRecords(store, erasedRows()),
    new Ledger(redis),
    new VersionNames(redis),
    recordsRebuildOn(store, redis),
    new RewriteLock(redis),
    createLogger('test', 'error', { write: () => undefined }),
  ).run(AbortSignal.timeout(60_000));

describe('records of a project that a paused worker stores after their erasure', () => {
  it('are deleted, and those that were received after the erasure stay, also with the same content', async () => {
    const projectId = aProject();
    const before = factsOf(projectId, 'ben', 'old');
    await writer.write(before);
    await erase({ kind: 'project', projectId }, before);
    expect(Object.values(await namesIn(projectId)).flat()).toEqual([]);

    const after = [
      ...factsOf(projectId, 'ann', 'new', 1_000_000),
      ...factsOf(projectId, 'ann', 'old', 2_000_000).filter(({ type }) => type === 'FileStored'),
    ];
    await writer.write(after);
    const expected = await namesIn(projectId);
    await writer.write(before);
    await store.client.command({ query: 'OPTIMIZE TABLE files FINAL' });
    expect((await namesIn(projectId))['objects']).toEqual(['new', 'old']);

    // A rewrite waits for the job, as it does for every step; so the job leaves its work to the next run during a step.
    await new RewriteLock(redis).step(run);
    expect((await namesIn(projectId))['objects']).toEqual(['new', 'old']);
    await run();

    expect(await namesIn(projectId)).toEqual(expected);
    expect(expected['files']).toEqual(['new', 'old']);
  }, 60_000);
});

describe('records of a user that a paused worker stores after their erasure', () => {
  it('are deleted, and those of other users stay', async () => {
    const projectId = aProject();
    const [ben, ann] = [factsOf(projectId, 'ben', 'ben'), factsOf(projectId, 'ann', 'ann', 100)];
    await writer.write(ann);
    const expected = await namesIn(projectId);
    const rename = aFact('rename', { projectId, callId: 'of ann', userId: 'ben' });
    await new CallLog(store).append([rename]);
    await erase({ kind: 'user', projectId, userId: 'ben' }, ann);
    await writer.write(ben);

    await run();

    expect(await namesIn(projectId)).toEqual(expected);
    const facts = sql`SELECT user_id AS user FROM call_events WHERE project_id = ${bind('String', projectId)}`;
    expect(await store.rows(facts)).toEqual([{ user: '' }]);
  }, 60_000);
});

describe('the erasure of a trace', () => {
  it('leaves uploaded rows that are in no table yet', async () => {
    const projectId = aProject();
    const rows = factsOf(projectId, 'ann', 'ann').filter(({ type }) => type === 'RowsAdded');
    await writer.write(rows);
    await erase({ kind: 'trace', projectId, traceId: 't' }, rows);

    await run();

    expect((await namesIn(projectId))['table_rows']).toEqual(['ann-row']);
  });
});

describe('the check of an erasure', () => {
  it('is over when no flush from before it can continue', async () => {
    const erasures = new RecentErasures(redis);
    const target = { kind: 'trace', projectId: aProject(), traceId: 't' } as const;
    const isListed = async (ago: number) => {
      const erasure = { target, seq: 1, at: millis(nowMillis() - ago) };
      await erasures.add(erasure);
      const found = (await erasures.unchecked()).filter(({ at }) => at === erasure.at);
      await erasures.recordChecked(erasure);
      const left = (await redis.zrange(`${KEY_PREFIX}:unchecked-erasures`, '0', '-1')).includes(
        JSON.stringify(erasure),
      );
      return [found.length, left];
    };

    expect(await isListed(60_000)).toEqual([1, true]);
    expect(await isListed(MAX_FLUSH_MS)).toEqual([0, true]);
    expect(await isListed(2 * MAX_FLUSH_MS + 660_000)).toEqual([1, false]);
  });
});
