import { rm } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { startRedis, type EmbeddedRedis } from '@app/embedded';
import { STREAM_KEYS } from '@app/queue';
import { millis } from '@app/wire';
import { aFact } from '../support/facts.js';
import { eventually } from '../support/processes.js';
import { countsInRedis, countsOf, openQueue, type OpenQueue } from '../support/queue.js';
import { aProject } from '../support/test-server.js';
import { listeningLogger, newDirectory } from './embedded/engine.js';

const MiB = 1024 * 1024;

let directory: string;
let server: EmbeddedRedis;
let admin: Redis;
let queue: OpenQueue;

beforeAll(async () => {
  directory = await newDirectory();
  server = await startRedis({ directory, logger: listeningLogger(), maxMemoryBytes: 256 * MiB });
  admin = new Redis(server.url);
});

afterAll(async () => {
  admin.disconnect();
  await server.stop();
  await rm(directory, { recursive: true });
});

beforeEach(async () => {
  await admin.flushall();
  queue = await openQueue(server.url, { memoryPercent: 1000 });
});
afterEach(() => queue.close());

const publish = () =>
  queue.publisher.publish([aFact('start', { projectId: aProject(), callId: 'c' })]);
const publishedWithin = (ms: number) => eventually(() => publish().then(() => true), ms);

describe('a connection that has lost its scripts', () => {
  it('enqueues a job for every chunk after SCRIPT FLUSH, and refuses no write', async () => {
    await publish();
    await admin.script('FLUSH');

    await publish();
    await publish();

    expect(await countsInRedis(admin)).toEqual(countsOf(3, 3));
  });

  it('accepts writes again after its first transaction was aborted because Redis was full', async () => {
    await admin.script('FLUSH');
    await admin.config('SET', 'maxmemory', 1);
    await expect(publish()).rejects.toMatchObject({ code: 'queue_full' });
    await admin.config('SET', 'maxmemory', 256 * MiB);

    await publish();

    expect(await countsInRedis(admin)).toEqual(countsOf(1, 1));
  });

  it('accepts writes again after its Redis was read-only', async () => {
    await admin.script('FLUSH');
    await admin.replicaof('127.0.0.1', 1);
    await expect(publish()).rejects.toMatchObject({ code: 'queue_unavailable' });
    await admin.replicaof('NO', 'ONE');

    await publishedWithin(2000);

    expect(await countsInRedis(admin)).toEqual(countsOf(1, 1));
  });
});

describe('the reconciler', () => {
  const later = () => millis(Date.now() + 20_000);

  it('enqueues a chunk again that has a payload and no job, once', async () => {
    await publish();
    const [chunk] = await admin.hkeys(STREAM_KEYS.calls.pendingChunks);
    await queue.fast.remove(chunk!);

    expect(await queue.calls.reconcile(later())).toEqual({ settled: 0, enqueued: 1 });
    expect(await queue.calls.reconcile(later())).toEqual({ settled: 0, enqueued: 0 });

    expect(await queue.fast.getWaiting()).toMatchObject([{ id: chunk, name: 'chunk' }]);
    expect(await countsInRedis(admin)).toEqual(countsOf(1, 1));
  });

  it('settles a chunk that has neither a payload nor a job', async () => {
    await publish();
    const [chunk] = await admin.hkeys(STREAM_KEYS.calls.pendingChunks);
    await queue.fast.remove(chunk!);
    await admin.unlink(STREAM_KEYS.calls.payload(chunk!));

    expect(await queue.calls.reconcile(later())).toEqual({ settled: 1, enqueued: 0 });
    expect(await countsInRedis(admin)).toEqual({ ...countsOf(0, 0), received: 1 });
  });
});
