import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import {
  versionsWithoutLatest,
  objectVersions,
  withLatest,
  type VersionWithoutLatestRow,
  type Store,
  type VersionRow,
} from '@app/clickhouse';
import { readConfig } from '@app/config';
import { valueDigest } from '@app/digests';
import type { ObjectPublished } from '@app/events';
import { createLogger } from '@app/observability';
import {
  NewProjects,
  RecordPublisher,
  RECORDS_QUEUE,
  RecordsQueue,
  RecordsStored,
  VersionNames,
  versionsKey,
  StalePrices,
} from '@app/queue';
import { connectRedis, KEY_PREFIX, DiskSpace, ProjectRates, WriteGuard } from '@app/redis';
import { micros } from '@app/wire';
import { ObjectsPublisher } from '../../apps/ingest/src/objects/objects.publisher.js';
import { VersionsReader } from '../../apps/ingest/src/objects/versions.reader.js';
import { DeadLetters } from '../../apps/worker/src/pipeline/dead-letters.writer.js';
import { ChunkPipeline } from '../../apps/worker/src/pipeline/chunk-pipeline.js';
import { RECORDS_FLUSH } from '../../apps/worker/src/records/records.processor.js';
import { RecordsStream } from '../../apps/worker/src/records/records.stream.js';
import { RecordsWriter } from '../../apps/worker/src/records/records.writer.js';
import { QueueMemory } from '../../libs/queue/src/queue-memory.js';
import { openStore } from '../support/store.js';
import { recordsRebuildOn } from '../support/worker.js';

const logger = createLogger('test', 'error');
const { redis: redisConfig } = readConfig({ REDIS_URL: process.env['REDIS_URL'] });
const redisOf = () => connectRedis(redisConfig, 'consumer', logger);

/** The part of an ingest process that publishes objects, with its own connections and empty caches. */
function openWriter(maxWaitMs = 20_000) {
  const [redis, store] = [redisOf(), openStore()];
  const options = { connection: redis, prefix: KEY_PREFIX };
  const queue = new Queue(RECORDS_QUEUE, {
    ...options,
    defaultJobOptions: { removeOnComplete: true },
  });
  const memory = new QueueMemory(redis, redisConfig);
  const guard = new WriteGuard(redis, redisConfig);
  class Waiter extends RecordsStored {
    protected override readonly maxWaitMs = maxWaitMs;
  }
  const records = new RecordPublisher(
    new RecordsQueue(redis, guard, queue),
    memory,
    new Waiter(redis),
    new ProjectRates(redis, redisConfig),
    new DiskSpace(redis, redisConfig),
    new NewProjects(redis, redisConfig),
  );
  const objects = new ObjectsPublisher(records, new VersionNames(redis), new VersionsReader(store));
  const close = async () => {
    memory.onModuleDestroy();
    guard.onModuleDestroy();
    await queue.close();
    redis.disconnect();
    await store.close();
  };
  return { publish: (fact: ObjectPublished) => objects.publish(fact), close };
}

/** The part of a worker process that stores records. */
function openWorker() {
  const [redis, store] = [redisOf(), openStore()];
  const jobs = new Queue(RECORDS_QUEUE, { connection: redis, prefix: KEY_PREFIX });
  const queue = new RecordsQueue(redis, new WriteGuard(redis, redisConfig), jobs);
  const writer = new RecordsWriter(store);
  const stream = new RecordsStream(queue, writer, new DeadLetters(store), new StalePrices(redis));
  const chunks = new ChunkPipeline(stream, RECORDS_FLUSH, logger);
  const options = { connection: redis, prefix: KEY_PREFIX, concurrency: 16 };
  const worker = new Worker(RECORDS_QUEUE, (job) => chunks.store(job.id!), options);
  worker.on('completed', (job) => void chunks.settle(job.id!));
  const close = async () => {
    await worker.close();
    await jobs.close();
    redis.disconnect();
    await store.close();
  };
  return {
    rebuild: recordsRebuildOn(store, redis),
    close,
  };
}

let clock = Date.now() * 1000;
const published = (projectId: string, n: number, objectId = 'cfg'): ObjectPublished => ({
  type: 'ObjectPublished',
  projectId,
  userId: 'ann',
  receivedAt: micros(clock++),
  data: {
    objectId,
    kind: 'object',
    digest: valueDigest(`{"n":${n}}`),
    baseClass: '',
    leafClass: '',
  },
  body: Buffer.from(`{"n":${n}}`),
});

describe('versions of an object', () => {
  let workers: ReturnType<typeof openWorker>[] = [];
  let writers: ReturnType<typeof openWriter>[] = [];
  let store: Store;
  const project = () => `acme/v-${randomUUID().slice(0, 8)}`;
  const publisher = (writer: number) => writers[writer % writers.length]!;
  const versionsOf = (projectId: string) => store.rows<VersionRow>(objectVersions(projectId));
  const indexes = async (projectId: string) =>
    new Map((await versionsOf(projectId)).map((row) => [row.digest, row.idx]));

  beforeAll(() => {
    store = openStore();
    workers = [openWorker(), openWorker()];
    writers = Array.from({ length: 8 }, () => openWriter());
  });

  afterAll(async () => {
    await Promise.all([...writers, ...workers].map((one) => one.close()));
    await store.close();
  });

  it('are numbered without gaps, never renumbered, and have one latest, with 8 writers that publish 1,000 times', async () => {
    const projectId = project();
    const seen = new Map<string, number>();
    const changes: string[] = [];
    const watch = async () => {
      for (const [digest, idx] of await indexes(projectId)) {
        if (seen.has(digest) && seen.get(digest) !== idx) changes.push(digest);
        seen.set(digest, idx);
      }
    };
    const write = async (writer: number) => {
      for (let round = 0; round < 5; round++) {
        const facts = Array.from({ length: 25 }, (_, i) =>
          published(projectId, (writer * 31 + (round * 25 + i) * 17) % 50),
        );
        await Promise.all(facts.map((fact) => publisher(writer).publish(fact)));
        await watch();
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
    await watch();

    const versions = await versionsOf(projectId);
    const lone = await store.rows<VersionWithoutLatestRow>(versionsWithoutLatest(projectId));
    const latestOf = (rows: VersionRow[]) =>
      rows.filter((row) => row.is_latest).map(({ digest }) => digest);
    expect(latestOf(withLatest(lone))).toEqual(latestOf(versions));
    expect(changes).toEqual([]);
    expect(versions.map(({ idx }) => idx).sort((a, b) => a - b)).toEqual([...Array(50).keys()]);
    const latest = versions.filter(({ is_latest }) => is_latest === 1);
    const newest = versions.reduce((a, b) =>
      Number(a.last_published) > Number(b.last_published) ? a : b,
    );
    expect(latest.map(({ digest }) => digest)).toEqual([newest.digest]);
    expect(versions.every((one) => Number(one.created) > 0)).toBe(true);
  });

  it('continue their numbers when Redis has lost them', async () => {
    const projectId = project();
    for (const n of [1, 2]) await publisher(n).publish(published(projectId, n));
    const redis = redisOf();
    await redis.del(versionsKey(projectId, 'object', 'cfg'));
    redis.disconnect();
    await Promise.all([3, 1, 3, 4].map((n) => publisher(n).publish(published(projectId, n))));

    const known = await indexes(projectId);
    const of = (n: number) => known.get(valueDigest(`{"n":${n}}`));
    expect([of(1), of(2)]).toEqual([0, 1]);
    expect([of(3), of(4)].sort()).toEqual([2, 3]);
  });

  it('are the same after a rebuild from the log', async () => {
    const projectId = project();
    for (const n of [1, 2, 1]) await publisher(n).publish(published(projectId, n));
    const before = await versionsOf(projectId);
    await store.client.command({
      query: 'DELETE FROM objects WHERE project_id = {project:String}',
      query_params: { project: projectId },
    });
    expect(await versionsOf(projectId)).toEqual([]);

    expect(await workers[0]!.rebuild.project({ projectId })).toBe(3);
    const byDigest = (rows: VersionRow[]) => [...rows].sort((a, b) => a.idx - b.idx);
    expect(byDigest(await versionsOf(projectId))).toEqual(byDigest(before));
  });

  it('do not change when a chunk is stored twice', async () => {
    const projectId = project();
    await publisher(0).publish(published(projectId, 1));
    const before = await versionsOf(projectId);
    await workers[1]!.rebuild.project({ projectId });
    expect(await versionsOf(projectId)).toEqual(before);
  });

  it('are refused as pending when they are not stored in time', async () => {
    await Promise.all(workers.map((one) => one.close()));
    workers = [];
    const impatient = openWriter(100);
    writers.push(impatient);
    const publishing = impatient.publish(published(project(), 1));
    await expect(publishing).rejects.toMatchObject({ code: 'write_pending' });
  });
});
