import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { startRedis, type EmbeddedRedis } from '@app/embedded';
import { decodeChunk, type NewFact } from '@app/events';
import { STREAM_KEYS } from '@app/queue';
import { KEY_PREFIX } from '@app/redis';
import { aFact } from '../support/facts.js';
import { FlakyProxy } from '../support/flaky-proxy.js';
import { aProject } from '../support/test-server.js';
import { eventually } from '../support/processes.js';
import { countsInRedis, countsOf, NO_LIMITS, openQueue, type OpenQueue } from '../support/queue.js';
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
  queue = await openQueue(server.url);
});
afterEach(() => queue.close());

const someFacts = (count: number, projectId: string, bytes = 10): NewFact[] =>
  Array.from({ length: count }, (_, i) =>
    aFact('start', { projectId, callId: `c${i}`, item: { inputs: 'x'.repeat(bytes) } }),
  );

/** A process reads from Redis at most every 100 ms how far the workers are. */
const nextSample = () => sleep(110);

/** The number of transactions that Redis has executed. */
async function transactions(): Promise<number> {
  return Number(/cmdstat_exec:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
}

describe('publishing facts', () => {
  it('adds job, payload and pending entry atomically, so that a racing worker finds all of them', async () => {
    const project = aProject();
    const found = { chunks: 0, facts: 0, missing: 0 };
    const connection = new Redis(server.url, { maxRetriesPerRequest: null });
    const work = async ({ id }: { id?: string }) => {
      const payload = await queue.calls.payload(id!);
      const isPending = await queue.redis.hexists(STREAM_KEYS.calls.pendingChunks, id!);
      if (payload === null || isPending === 0) found.missing++;
      else found.facts += decodeChunk(id!, payload).length;
      found.chunks++;
    };
    const worker = new Worker('calls-fast', work, {
      connection,
      prefix: KEY_PREFIX,
      concurrency: 8,
    });
    await worker.waitUntilReady();

    const client = async () => {
      for (let i = 0; i < 20; i++) await queue.publisher.publish(someFacts(3, project));
    };
    await Promise.all(Array.from({ length: 10 }, client));

    await eventually(() => found.facts + found.missing >= 600, 10_000);
    expect(found).toMatchObject({ facts: 600, missing: 0 });
    await worker.close();
    connection.disconnect();
  });

  it('removes completed jobs and trims their events', async () => {
    const connection = new Redis(server.url, { maxRetriesPerRequest: null });
    let done = 0;
    const worker = new Worker('calls-fast', async () => void done++, {
      connection,
      prefix: KEY_PREFIX,
    });
    for (let i = 0; i < 150; i++) await queue.publisher.publish(someFacts(1, aProject()));
    await eventually(() => done === 150, 10_000);
    await worker.close();
    connection.disconnect();

    expect((await countsInRedis(admin)).jobs).toBe(0);
    expect(await queue.fast.getCompletedCount()).toBe(0);
    // A job has at least three events, and Redis trims a stream in blocks of a hundred.
    expect(await admin.xlen(`${KEY_PREFIX}:calls-fast:events`)).toBeLessThanOrEqual(200);
  });

  it('lets concurrent requests share a transaction', async () => {
    await queue.publisher.publish(someFacts(1, aProject()));
    const before = await transactions();

    await Promise.all(
      Array.from({ length: 100 }, () => queue.publisher.publish(someFacts(2, aProject()))),
    );

    expect((await transactions()) - before).toBeLessThanOrEqual(20);
    expect(await countsInRedis(admin)).toMatchObject({ received: 201, pending: 201 });
  });

  it('writes large requests in chunks of 2 MB and transactions of 4 MB', async () => {
    const before = await transactions();
    await queue.publisher.publish(someFacts(50, aProject(), 100 * 1024));

    expect((await transactions()) - before).toBe(2);
    expect(await countsInRedis(admin)).toEqual(countsOf(3, 50));
    for (const key of await admin.keys(`${KEY_PREFIX}:payload:*`)) {
      expect(await admin.strlen(key)).toBeLessThanOrEqual(2 * MiB);
    }
  });

  it('moves a project with much pending to the bulk lane, and no other project', async () => {
    const [busy, other] = [aProject(), aProject()];
    const lanes = async () => [
      await queue.fast.getWaitingCount(),
      await queue.bulk.getWaitingCount(),
    ];
    await queue.publisher.publish(someFacts(30, busy, 100 * 1024));
    expect(await lanes()).toEqual([2, 0]);

    await Promise.all([
      queue.publisher.publish(someFacts(15, busy, 100 * 1024)),
      queue.publisher.publish(someFacts(1, other)),
    ]);
    expect(await lanes()).toEqual([3, 1]);
    await queue.publisher.publish(someFacts(1, busy));
    expect(await lanes()).toEqual([3, 2]);
  });

  it('responds later to a project with much pending while workers are behind, and no other project', async () => {
    const [busy, other] = [aProject(), aProject()];
    const { inflight, progress } = STREAM_KEYS.calls;
    await queue.publisher.publish(someFacts(45, busy, 100 * 1024));
    for (const chunk of await admin.zrange(inflight, 0, '-1'))
      await admin.zadd(inflight, Date.now() - 1800, chunk);
    await admin.set(progress, Date.now());
    await nextSample();
    const done: string[] = [];
    const publish = async (project: string, name: string) => {
      await queue.publisher.publish(someFacts(1, project));
      done.push(name);
    };

    // Both share a transaction.
    await Promise.all([publish(busy, 'busy'), publish(other, 'other')]);
    expect(done).toEqual(['other', 'busy']);

    // A server that closes waits no longer: this would take five seconds, and a closed queue cannot publish.
    for (const chunk of await admin.zrange(inflight, 0, '-1'))
      await admin.zadd(inflight, Date.now() - 60_000, chunk);
    await admin.set(progress, Date.now() + 1);
    await nextSample();
    const last = publish(busy, 'last');
    await eventually(async () => (await countsInRedis(admin)).received === 48, 5000);
    await queue.close();
    await last;
    expect(done.at(-1)).toBe('last');
  });

  it('accepts a fact whatever its project id', async () => {
    for (const projectId of ['constructor', '__proto__', '', 'a:b/c:d', 'é/😀']) {
      const fact = { ...someFacts(1, projectId)[0]!, kind: 'rejected', reason: 'x' } as NewFact;
      await queue.publisher.publish([fact]);
    }
    expect(await countsInRedis(admin)).toEqual(countsOf(5, 5));

    for (const id of await admin.hkeys(STREAM_KEYS.calls.pendingChunks))
      expect(await queue.calls.settle(id)).toBe(true);
    expect(await countsInRedis(admin)).toEqual({ ...countsOf(0, 0), received: 5, jobs: 5 });
    expect([...(await queue.ledger.balances()).values()]).toEqual(
      Array(5).fill({ received: 1, settled: 1, pending: 0 }),
    );
  });
});

describe('publishing facts while Redis is unavailable', () => {
  let proxy: FlakyProxy;
  let beyond: OpenQueue;

  beforeEach(async () => {
    proxy = await FlakyProxy.to(server.url);
    beyond = await openQueue(proxy.url);
  });
  afterEach(async () => {
    await beyond.close();
    await proxy.close();
  });

  it('is refused at once, and works again when Redis is back', async () => {
    await beyond.publisher.publish(someFacts(1, aProject()));
    proxy.disconnect();
    const began = Date.now();

    await expect(beyond.publisher.publish(someFacts(1, aProject()))).rejects.toMatchObject({
      code: 'queue_unavailable',
    });
    expect(Date.now() - began).toBeLessThan(5000);
    expect(await countsInRedis(admin)).toEqual(countsOf(1, 1));

    proxy.reconnect();
    await eventually(
      () => beyond.publisher.publish(someFacts(1, aProject())).then(() => true),
      10_000,
    );
    expect(await countsInRedis(admin)).toEqual(countsOf(2, 2));
  });

  it('never counts a fact twice when the response is lost', async () => {
    // The process knows the project then, and the next command is the transaction.
    const project = aProject();
    await beyond.publisher.publish(someFacts(1, project));
    proxy.loseNextResponse();

    await expect(beyond.publisher.publish(someFacts(2, project))).rejects.toMatchObject({
      code: 'queue_unavailable',
    });

    expect(await countsInRedis(admin)).toEqual(countsOf(2, 3));
  });

  it('is refused at once by a process that was never connected to Redis', async () => {
    proxy.disconnect();
    const disconnected = await openQueue(proxy.url, { isThere: false });
    const began = Date.now();

    await expect(disconnected.publisher.publish(someFacts(1, aProject()))).rejects.toMatchObject({
      code: 'queue_unavailable',
    });
    expect(Date.now() - began).toBeLessThan(5000);
    await disconnected.close();
  });
});

describe('publishing facts while Redis is full', () => {
  afterEach(() => admin.config('SET', 'maxmemory', 256 * MiB));

  const leaveFree = async (bytes: number) => {
    const used = Number(/^used_memory:(\d+)/m.exec(await admin.info('memory'))![1]);
    await admin.config('SET', 'maxmemory', used + bytes);
  };
  const full = { code: 'queue_full' };

  describe('without a limit of our own', () => {
    let unlimited: OpenQueue;
    beforeEach(async () => {
      unlimited = await openQueue(server.url, { memoryPercent: 1000 });
    });
    afterEach(() => unlimited.close());

    it('is refused and changes nothing', async () => {
      await leaveFree(5 * MiB);
      let accepted = 0;
      const publish = () =>
        unlimited.publisher.publish(someFacts(10, aProject(), 100 * 1024)).then(() => accepted++);

      await expect(
        (async () => {
          for (let i = 0; i < 20; i++) await publish();
        })(),
      ).rejects.toMatchObject(full);
      // Buffers of connections may have been freed since.
      await leaveFree(-MiB);
      await expect(publish()).rejects.toMatchObject(full);

      expect(accepted).toBeGreaterThan(0);
      expect(await countsInRedis(admin)).toEqual(countsOf(accepted, 10 * accepted));
    });
  });

  it('is refused while memory is left for the workers', async () => {
    const publish = () => queue.publisher.publish(someFacts(1, aProject()));
    await publish();
    await leaveFree(100);
    await eventually(
      () =>
        publish().then(
          () => false,
          ({ message }: Error) => /% of its memory/.test(message),
        ),
      10_000,
    );

    await admin.config('SET', 'maxmemory', 0);
    await eventually(() => publish().then(() => true), 10_000);
  });
});

describe('the limits of a project', () => {
  it('refuse a project above its limit, and no other project', async () => {
    const strict = await openQueue(server.url, {
      limits: { ...NO_LIMITS, maxPendingBytes: 10_000 },
    });
    const [greedy, modest] = [aProject(), aProject()];
    await strict.publisher.publish(someFacts(1, greedy, 20_000));

    await expect(strict.publisher.publish(someFacts(1, greedy))).rejects.toMatchObject({
      code: 'queue_full',
    });
    await strict.publisher.publish(someFacts(1, modest));
    expect(await countsInRedis(admin)).toEqual(countsOf(2, 2));
    await strict.close();
  });

  it('hold across processes', async () => {
    const limits = { ...NO_LIMITS, maxPendingBytes: 10_000 };
    const [one, another] = [
      await openQueue(server.url, { limits }),
      await openQueue(server.url, { limits }),
    ];
    const greedy = aProject();
    await one.publisher.publish(someFacts(1, greedy, 9000));

    await expect(another.publisher.publish(someFacts(1, greedy, 2000))).rejects.toMatchObject({
      code: 'queue_full',
    });
    await another.publisher.publish(someFacts(1, greedy, 500));
    await Promise.all([one.close(), another.close()]);
  });

  it('count the facts of a request before it is accepted, and accept one request above the limit of a second', async () => {
    const limits = { ...NO_LIMITS, maxFactsPerSecond: 10 };
    const strict = await openQueue(server.url, { limits });
    const [steady, sudden] = [aProject(), aProject()];
    const refused = { code: 'rate_limited', retryAfterSeconds: 1 };

    await strict.publisher.publish(someFacts(6, steady));
    await expect(strict.publisher.publish(someFacts(6, steady))).rejects.toMatchObject(refused);
    await strict.publisher.publish(someFacts(50, sudden));
    await expect(strict.publisher.publish(someFacts(1, sudden))).rejects.toMatchObject(refused);
    await eventually(() => strict.publisher.publish(someFacts(6, steady)).then(() => true), 5000);
    expect(await countsInRedis(admin)).toMatchObject({ received: 62 });
    await strict.close();
  });

  it('of invalid items per hour count by project, and refuse no valid item', async () => {
    const limits = { ...NO_LIMITS, maxRejectedPerHour: 5 };
    const strict = await openQueue(server.url, { limits });
    const [careless, other] = [aProject(), aProject()];
    const invalid = (n: number, project: string) =>
      someFacts(n, project).map((fact) => ({
        ...fact,
        kind: 'rejected' as const,
        reason: 'no id',
      }));
    const refused = { code: 'rate_limited', retryAfterSeconds: 3600 };

    await strict.publisher.publish(invalid(5, careless));
    await expect(strict.publisher.publish(invalid(1, careless))).rejects.toMatchObject(refused);
    await strict.publisher.publish(someFacts(6, careless));
    await strict.publisher.publish(invalid(1, other));
    await strict.publisher.publish(invalid(5, ''));
    await expect(strict.publisher.publish(invalid(1, ''))).rejects.toMatchObject(refused);
    expect(await countsInRedis(admin)).toMatchObject({ received: 17 });
    await strict.close();
  });

  it('of new projects per hour count over all processes, and never a project with facts', async () => {
    const limits = { ...NO_LIMITS, maxNewPerHour: 2 };
    const [one, another] = await Promise.all([
      openQueue(server.url, { limits }),
      openQueue(server.url, { limits }),
    ]);
    const [first, second, third] = [aProject(), aProject(), aProject()];

    await one.publisher.publish(someFacts(1, first));
    await another.publisher.publish(someFacts(1, second));
    await expect(another.publisher.publish(someFacts(1, third))).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'A user may create 2 projects per hour; retry later.',
    });
    await another.publisher.publish(someFacts(1, first));
    await one.publisher.publish(someFacts(1, second));
    expect(await countsInRedis(admin)).toMatchObject({ received: 4 });
    await Promise.all([one.close(), another.close()]);
  });
});
