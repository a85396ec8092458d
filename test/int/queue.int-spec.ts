import { setTimeout as pause } from 'node:timers/promises';
import type { Fact } from '@app/events';
import { createLogger } from '@app/observability';
import { IdleRecords, KEYS, QueueProgress, STREAM_KEYS } from '@app/queue';
import { KEY_PREFIX, tryLock, withLock } from '@app/redis';
import { microsOf, millis, nowMillis } from '@app/wire';
import { CallClaims } from '../../apps/worker/src/calls/call-claims.js';
import { CallsAwaitingStart } from '../../apps/worker/src/calls/calls-awaiting-start.js';
import { CallsFlush } from '../../apps/worker/src/calls/calls.flush.js';
import { CallsStream, FlushPriority } from '../../apps/worker/src/calls/calls.stream.js';
import { DeadLetters } from '../../apps/worker/src/pipeline/dead-letters.writer.js';
import { ChunkPipeline } from '../../apps/worker/src/pipeline/chunk-pipeline.js';
import { recordClockKey } from '../../libs/queue/src/record-order.js';
import { OrphanJob } from '../../apps/worker/src/repair/orphan-job.js';
import { aFact } from '../support/facts.js';
import { FlakyProxy } from '../support/flaky-proxy.js';
import { aProject } from '../support/test-server.js';
import { eventually } from '../support/processes.js';
import { openQueue, theRedis, type OpenQueue } from '../support/queue.js';

const URL = theRedis(1);
const NOW = millis(Date.UTC(2026, 2, 1));

let queue: OpenQueue;
beforeAll(async () => void (queue = await openQueue(URL)));
beforeEach(() => queue.redis.flushdb());
afterAll(() => queue.close());

const publish = (projectId: string, count = 1) =>
  queue.publisher.publish(
    Array.from({ length: count }, (_, i) => aFact('start', { projectId, callId: `c${i}` })),
  );
/** An instance of a class that has only the methods a test needs. */
const only = <T extends object>(type: { prototype: T }, methods: Partial<T>): T =>
  Object.assign(Object.create(type.prototype) as T, methods);

const chunks = () => queue.redis.hkeys(STREAM_KEYS.calls.pendingChunks);
const balance = async (project: string) => (await queue.ledger.balances()).get(project);

describe('settling a chunk', () => {
  it('counts its facts once, however often it is repeated, and removes its keys', async () => {
    const project = aProject();
    await publish(project, 3);
    const [chunk] = await chunks();
    await queue.fast.remove(chunk!);

    const tried = await Promise.all([1, 2, 3].map(() => queue.calls.settle(chunk!)));

    expect(tried.filter(Boolean)).toHaveLength(1);
    expect(await balance(project)).toEqual({ received: 3, settled: 3, pending: 0 });
    const kept = (await queue.redis.keys('*')).filter(
      (key) => !/calls-fast|:meta$|:rate:/.test(key),
    );
    expect(kept.sort()).toEqual([
      STREAM_KEYS.calls.ledger,
      STREAM_KEYS.calls.progress,
      KEYS.writeSequence,
    ]);
  });

  it('of version 0.1 also removes it from the sets of that version', async () => {
    const project = aProject();
    const sets = [
      `pending:${encodeURIComponent(project)}`,
      `pending:${encodeURIComponent(project)}:ann`,
    ].map((key) => `${KEY_PREFIX}:${key}`);
    await publish(project, 2);
    const [chunk] = await chunks();
    const entry = JSON.parse(
      (await queue.redis.hget(STREAM_KEYS.calls.pendingChunks, chunk!))!,
    ) as {
      pendingWrites?: string[];
      pending: string[];
    };
    await queue.redis.del(...entry.pendingWrites!);
    delete entry.pendingWrites;
    const text = JSON.stringify({ ...entry, pending: sets });
    await queue.redis.hset(STREAM_KEYS.calls.pendingChunks, chunk!, text);
    for (const set of sets) await queue.redis.sadd(set, chunk!);

    expect(await queue.pending.projectSettled(project, 0)).toBe(1);
    const waiting = queue.pending.settled(project, 'ann', 20_000);
    await pause(30);
    await queue.calls.settle(chunk!);

    expect(await waiting).toBe(0);
    expect(await queue.redis.keys('*pending*')).toEqual([]);
    expect(await balance(project)).toEqual({ received: 2, settled: 2, pending: 0 });
  });

  it.each(['calls', 'records'] as const)(
    'of %s that a build before version 0.1.0 has queued counts its facts, and removes its keys',
    async (stream) => {
      const { keys } = queue[stream];
      const set = `${KEY_PREFIX}:pending:p:ann`;
      const entry = { pending: [set], facts: { 'a/p': 2 } };
      const text = JSON.stringify(
        stream === 'records' ? entry : { ...entry, queue: 'calls-fast', bytes: { 'a/p': 9 } },
      );
      for (const chunk of ['c1', 'c2']) {
        await queue.redis.hset(`${keys.ledger.replace(/ledger$/, '')}tickets`, chunk, text);
        await queue.redis.hincrby(keys.ledger, 'received:a/p', 2);
        if (stream === 'calls') await queue.redis.hincrby(keys.projectBytes, 'a/p', 9);
        await queue.redis.zadd(keys.inflight, NOW, chunk);
        await queue.redis.sadd(set, chunk);
        await queue.redis.set(keys.payload(chunk), 'facts');
      }

      expect(await queue[stream].isSettled('c1')).toBe(false);
      expect(await queue[stream].settle('c1')).toBe(true);
      expect(await queue[stream].settle('c1')).toBe(false);
      // The other one has lost its job.
      expect(await queue[stream].reconcile(nowMillis())).toEqual({ settled: 0, enqueued: 1 });
      expect(await queue[stream].settle('c2')).toBe(true);

      expect(await queue.redis.hgetall(keys.ledger)).toMatchObject({
        'received:a/p': '4',
        'settled:a/p': '4',
      });
      const left = (await queue.redis.keys('*')).filter((key) =>
        /pending|payload|inflight|tickets|bytes/.test(key),
      );
      expect(left).toEqual([]);
    },
  );

  it('is remembered, so that a second run of the job does not report a lost payload', async () => {
    await publish(aProject());
    const [chunk] = await chunks();
    const deadLetters: { fact: Fact }[] = [];
    const calls = new CallsStream(
      queue.calls,
      only(CallsFlush, { write: () => Promise.resolve() }),
      new FlushPriority(),
      only(DeadLetters, { write: async (some) => void deadLetters.push(...some) }),
    );
    const second = new ChunkPipeline(
      calls.fast,
      { intervalMs: () => 0, maxIntervalMs: 0, maxBytes: 1, maxInFlight: 1 },
      createLogger('test', 'error', { write: () => undefined }),
    );

    await queue.redis.del(STREAM_KEYS.calls.payload(chunk!));
    await second.store(chunk!);
    expect(deadLetters).toMatchObject([{ fact: { chunkId: chunk, reason: 'payload lost' } }]);

    await queue.calls.settle(chunk!);
    await second.store(chunk!);
    expect(deadLetters).toHaveLength(1);
  });

  it('of records resolves the publish of their writer, whether their facts have a body or not', async () => {
    const project = aProject();
    const aRecordFact = (body: string) => ({
      type: 'TagChanged',
      projectId: project,
      userId: 'ann',
      receivedAt: microsOf(NOW),
      data: {},
      body: Buffer.from(body),
    });
    const settle = async () => {
      const [chunk] = await queue.redis.hkeys(STREAM_KEYS.records.pendingChunks);
      return chunk !== undefined && queue.records.settle(chunk);
    };

    for (const body of ['', 'five!']) {
      const published = queue.recordPublisher.publish([aRecordFact(body)]);
      await eventually(settle, 20_000);
      expect(await published).toMatchObject([{ versionIndex: -1 }]);
    }
    expect(await queue.redis.hgetall(STREAM_KEYS.records.ledger)).toEqual({
      received: '2',
      settled: '2',
      [`received:${project}`]: '2',
      [`settled:${project}`]: '2',
    });
    expect(await queue.redis.exists(STREAM_KEYS.records.projectBytes)).toBe(0);
    expect(await queue.redis.exists(STREAM_KEYS.records.progress)).toBe(1);
  });

  it('changes nothing for an unknown chunk', async () => {
    expect(await queue.calls.settle('unknown')).toBe(false);
    expect(await queue.redis.exists(STREAM_KEYS.calls.progress, STREAM_KEYS.calls.ledger)).toBe(0);
  });

  it('is visible as progress to every process', async () => {
    const progress = new QueueProgress(queue.redis);
    expect(await progress.read()).toEqual({
      pendingChunks: 0,
      oldest: '',
      oldestMs: 0,
      sinceSettledMs: Infinity,
    });

    await publish(aProject());
    await publish(aProject());
    expect(await progress.read('calls', millis(Date.now() + 5000))).toMatchObject({
      pendingChunks: 2,
      oldestMs: expect.closeTo(5000, -3) as number,
      sinceSettledMs: Infinity,
    });

    await queue.calls.settle((await chunks())[0]!);
    expect(await progress.read()).toMatchObject({
      pendingChunks: 1,
      sinceSettledMs: expect.closeTo(0, -3) as number,
    });
  });
});

describe('a chunk that only a later release can read', () => {
  it('stays in the queue with its payload', async () => {
    const project = aProject();
    await publish(project, 2);
    const [chunk] = await chunks();
    const payload = (await queue.calls.payload(chunk!))!;
    const later = Buffer.from(payload.toString('latin1').replace('"v":1', '"v":2'), 'latin1');
    await queue.redis.set(STREAM_KEYS.calls.payload(chunk!), later);
    const stored: Fact[] = [];
    const calls = new CallsStream(
      queue.calls,
      only(CallsFlush, { write: async (facts) => void stored.push(...facts) }),
      new FlushPriority(),
      only(DeadLetters, { write: () => Promise.reject(new Error('dead-lettered')) }),
    );
    const worker = new ChunkPipeline(
      calls.fast,
      { intervalMs: () => 0, maxIntervalMs: 0, maxBytes: 1, maxInFlight: 1 },
      createLogger('test', 'error', { write: () => undefined }),
    );

    await expect(worker.store(chunk!)).rejects.toThrow('has format 2; this version reads 1');
    expect(await queue.calls.payload(chunk!)).toEqual(later);
    expect(await queue.calls.isSettled(chunk!)).toBe(false);
    expect(await balance(project)).toEqual({ received: 2, settled: 0, pending: 2 });
    expect(stored).toEqual([]);
    const job = await queue.fast.getJob(chunk!);
    expect(job?.opts).toMatchObject({ attempts: 1_000_000_000, backoff: { type: 'custom' } });
  });
});

describe('the reconciler', () => {
  it('skips young chunks and those with a job', async () => {
    await publish(aProject());
    const [chunk] = await chunks();
    await publish(aProject());
    await queue.fast.remove(chunk!);
    const later = () => millis(Date.now() + 20_000);

    expect(await queue.calls.reconcile(nowMillis())).toEqual({ settled: 0, enqueued: 0 });
    expect(await queue.calls.reconcile(later())).toEqual({ settled: 0, enqueued: 1 });
    expect(await queue.calls.reconcile(later())).toEqual({ settled: 0, enqueued: 0 });
  });

  it('removes payloads of no pending chunk that were not accessed for an hour', async () => {
    await publish(aProject());
    const [pending] = await chunks();
    const value = await queue.redis.dumpBuffer(STREAM_KEYS.calls.payload(pending!));
    const put = (id: string, idleSeconds: number) =>
      queue.redis.restore(
        STREAM_KEYS.calls.payload(id),
        0,
        value,
        'REPLACE',
        'IDLETIME',
        idleSeconds,
      );
    await put(pending!, 7200);
    await put('orphan', 7200);
    await put('young', 60);

    expect(await queue.calls.sweepOrphans()).toBe(1);
    expect((await queue.redis.keys(STREAM_KEYS.calls.payload('*'))).sort()).toEqual(
      [STREAM_KEYS.calls.payload(pending!), STREAM_KEYS.calls.payload('young')].sort(),
    );
  });
});

describe('the removal of orphans', () => {
  it('also removes the calls awaiting start of version 0.1, which nothing reads', async () => {
    await queue.redis.sadd(`${KEY_PREFIX}:awaiting-start`, 'a');
    await queue.redis.sadd(`${KEY_PREFIX}:held`, 'a');
    await new CallsAwaitingStart(queue.redis).add(['a']);

    const logger = createLogger('test', 'error');
    const idle = new IdleRecords(queue.redis);
    await new OrphanJob(queue.calls, queue.records, idle, queue.redis, logger).run();

    expect(await queue.redis.keys('*awaiting-start')).toEqual([KEYS.awaitingStart]);
    expect(await queue.redis.exists(`${KEY_PREFIX}:held`)).toBe(0);
  });

  it('also removes the counts of projects that are settled and got no record for a month', async () => {
    const { ledger } = STREAM_KEYS.records;
    const count = (project: string, received: number, settled: number) =>
      queue.redis.hset(ledger, `received:${project}`, received, `settled:${project}`, settled);
    await queue.redis.hset(ledger, 'received', 9, 'settled', 8);
    await Promise.all([count('a/idle', 2, 2), count('a/pending', 2, 1), count('a/b\u200bc', 1, 1)]);
    await Promise.all([count('a/active', 2, 2), count('a/of-old-version', 1, 1)]);
    await queue.redis.set(recordClockKey('a/active'), 1, 'EX', 1000);
    await queue.redis.set(recordClockKey('a/of-old-version'), 1);

    expect(await new IdleRecords(queue.redis).forget()).toBe(1);

    const left = (await queue.redis.hkeys(ledger)).filter((field) => field.startsWith('settled'));
    expect(left.sort()).toEqual(
      ['', ':a/active', ':a/b\u200bc', ':a/of-old-version', ':a/pending'].map(
        (of) => `settled${of}`,
      ),
    );
    expect(await queue.redis.ttl(recordClockKey('a/of-old-version'))).toBeGreaterThan(0);
    await queue.redis.del(ledger);
  });
});

describe('waiting for the caller’s own writes', () => {
  it('ends when they are settled', async () => {
    const project = aProject();
    await publish(project);
    let isSettled = false;
    const settle = async () => {
      const [chunk] = await chunks();
      isSettled = true;
      await queue.calls.settle(chunk!);
    };
    setTimeout(() => void settle(), 50);

    expect(await queue.pending.settled(project, 'ann', 20_000)).toBe(0);
    expect(isSettled).toBe(true);
  });

  it('ends at its time limit with the number of pending chunks', async () => {
    const project = aProject();
    await publish(project);
    await publish(project);
    const began = performance.now();

    expect(await queue.pending.settled(project, 'ann', 60)).toBe(2);
    expect(performance.now() - began).toBeGreaterThan(55);
    expect(await queue.pending.projectSettled(project, 0)).toBe(2);
  });

  it('ignores other users, other projects and later writes', async () => {
    const project = aProject();
    await publish(project);
    expect(await queue.pending.settled(project, 'bob', 20_000)).toBe(0);
    expect(await queue.pending.settled(aProject(), 'ann', 20_000)).toBe(0);

    const [first] = await chunks();
    const waiting = queue.pending.settled(project, 'ann', 20_000);
    await pause(10);
    await publish(project);
    await queue.calls.settle(first!);
    expect(await waiting).toBe(0);
  });

  it('counts only the writes before it, also when those after it come from a clock that is behind', async () => {
    const project = aProject();
    const fact = aFact('start', { projectId: project });
    const add = async (clockMs: number) => {
      const transaction = await queue.calls.begin();
      queue.calls.add(transaction, queue.fast, [fact], millis(Date.now() + clockMs));
      await transaction.commit();
    };
    await add(60_000);
    await add(0);
    const before = await chunks();
    const waiting = queue.pending.settled(project, 'ann', 1500);
    await pause(20);
    await add(-60_000);
    await queue.calls.settle(before[0]!);

    expect(await waiting).toBe(1);
    expect(await queue.pending.settled(project, 'ann', 0)).toBe(2);
  });

  it('ends although a worker of version 0.1 has settled them, which leaves them in the sorted sets', async () => {
    const project = aProject();
    await publish(project);
    await publish(project);
    const [first, second] = await queue.redis.zrange(STREAM_KEYS.calls.inflight, 0, '-1');
    await queue.redis.zrem(STREAM_KEYS.calls.inflight, first!);
    expect(await queue.pending.settled(project, 'ann', 0)).toBe(1);

    await queue.redis.zrem(STREAM_KEYS.calls.inflight, second!);
    expect(await queue.pending.settled(project, 'ann', 20_000)).toBe(0);
    expect(await queue.pending.projectSettled(project, 5000)).toBe(0);
    expect(await queue.redis.keys('*pending-writes*')).toEqual([]);
  });

  it('ends for every reader while workers settle the same chunks at the same time', async () => {
    const project = aProject();
    await Promise.all(Array.from({ length: 60 }, () => publish(project)));
    const readers = Promise.all(
      Array.from({ length: 20 }, () => queue.pending.settled(project, 'ann', 20_000)),
    );
    await pause(10);
    const before = await chunks();
    const later = publish(project);
    const settled = await Promise.all(
      [...before, ...before].map((chunk) => queue.calls.settle(chunk)),
    );
    await later;

    expect(settled.filter(Boolean)).toHaveLength(before.length);
    expect(new Set(await readers)).toEqual(new Set([0]));
    for (const chunk of await chunks()) await queue.calls.settle(chunk);
    expect(await queue.redis.keys('*pending*')).toEqual([]);
  });

  it('ends early when Redis is unavailable or becomes unavailable', async () => {
    const project = aProject();
    await publish(project);
    const proxy = await FlakyProxy.to(URL);
    const beyond = await openQueue(proxy.url);
    const since = await beyond.pending.since(project, 'ann');
    const waiting = since.settled(20_000);
    proxy.disconnect();

    expect(await waiting).toBe(1);
    expect(await beyond.pending.settled(project, 'ann', 20_000)).toBe(0);
    await beyond.close();
    await proxy.close();
  });
});

describe('a claim', () => {
  const after = (minutes: number) => millis(NOW + minutes * 60_000);
  let claims: CallClaims;
  beforeAll(() => void (claims = new CallClaims(queue.redis)));

  it('is the first one once for each call', async () => {
    expect(await claims.claim(['a', 'b'], NOW)).toEqual(['first', 'first']);
    expect(await claims.claim(['b', 'c', 'a'], NOW)).toEqual(['mine', 'first', 'mine']);
    expect(await claims.claim([], NOW)).toEqual([]);
  });

  it('is never exclusive again after another worker has claimed the call', async () => {
    const other = new CallClaims(queue.redis);
    await claims.claim(['a', 'b'], NOW);

    expect(await other.claim(['a'], after(9))).toEqual(['others']);
    expect(await claims.claim(['a', 'b'], after(9))).toEqual(['others', 'mine']);
    expect(await other.claim(['a', 'b'], after(19))).toEqual(['others', 'others']);
  });

  it.each([
    ['ahead', 9.9, 10.1],
    ['behind', 10.1, 9.9],
  ])('is seen by a worker whose clock is in another window: %s', async (_where, mine, theirs) => {
    const other = new CallClaims(queue.redis);
    await claims.claim(['a'], after(mine));

    expect(await other.claim(['a'], after(theirs))).toEqual(['others']);
    expect(await claims.claim(['a'], after(mine))).toEqual(['others']);
  });

  it('is remembered for at least ten minutes and then expires', async () => {
    await claims.claim(['a'], after(9));

    expect(await claims.claim(['a'], after(19))).toEqual(['mine']);
    await queue.redis.flushdb();
    await claims.claim(['a'], NOW);
    expect(await claims.claim(['a'], after(20))).toEqual(['first']);
    for (const key of await queue.redis.keys('*claims*')) {
      expect(await queue.redis.ttl(key)).toBeGreaterThan(1200);
    }
  });

  it('is never the first one of a call that awaits its start', async () => {
    await new CallsAwaitingStart(queue.redis).add(['a']);

    expect(await claims.claim(['a', 'b'], NOW)).toEqual(['others', 'first']);
  });

  it('is the first one for one of many concurrent claimants', async () => {
    const calls = Array.from({ length: 9000 }, (_, i) => `call ${i}`);
    const all = await Promise.all([1, 2, 3].map(() => claims.claim(calls, NOW)));

    const firsts = calls.map((_, i) => all.filter((claimed) => claimed[i] === 'first').length);
    expect(new Set(firsts)).toEqual(new Set([1]));
  });
});

describe('calls that await their start', () => {
  it('are counted once until they are removed, also 150,000 of them', async () => {
    const awaitingStart = new CallsAwaitingStart(queue.redis);
    const calls = Array.from({ length: 150_000 }, (_, i) => `${i}`);
    await awaitingStart.add(calls);
    await awaitingStart.add(['1', 'new']);
    await awaitingStart.remove(['2', 'unknown']);
    expect(await awaitingStart.count()).toBe(150_000);

    await awaitingStart.remove([...calls, 'new']);
    expect(await awaitingStart.count()).toBe(0);
  });
});

describe('the balances', () => {
  it('add up at any time while facts are published and settled', async () => {
    const projects = [aProject(), aProject()];
    let isOver = false;
    const sender = async (project: string) => {
      for (let i = 0; i < 40; i++) await publish(project, 1 + (i % 3));
    };
    const settler = async () => {
      while (!isOver) {
        for (const chunk of await chunks()) await queue.calls.settle(chunk);
        await pause(1);
      }
    };
    const auditor = async () => {
      while (!isOver) {
        for (const { isBalanced } of (await queue.ledger.count()).values()) {
          expect(isBalanced).toBe(true);
        }
        for (const { pending } of (await queue.ledger.balances()).values()) {
          expect(pending).toBeGreaterThanOrEqual(0);
        }
        await pause(1);
      }
    };
    const others = Promise.all([settler(), settler(), auditor()]);
    await Promise.all(projects.flatMap((project) => [sender(project), sender(project)])).finally(
      () => (isOver = true),
    );
    await others;

    for (const chunk of await chunks()) await queue.calls.settle(chunk);
    for (const project of projects) {
      expect(await balance(project)).toEqual({ received: 158, settled: 158, pending: 0 });
    }
  });

  it('are counted in total, and by project for both streams', async () => {
    const [one, other] = [aProject(), aProject()];
    await publish(one, 3);
    const [chunk] = await chunks();
    await publish(other, 2);
    await queue.calls.settle(chunk!);

    expect(await queue.ledger.total()).toEqual({ received: 5, settled: 3, pending: 2 });
    expect(await queue.ledger.pendingFacts(one)).toBe(0);
    expect(await queue.ledger.pendingFacts(other)).toBe(2);
    await queue.redis.hincrby(STREAM_KEYS.records.ledger, `received:${other}`, 4);
    expect(await queue.ledger.pendingFacts(other)).toBe(6);
  });

  it('do not balance when a pending chunk is lost', async () => {
    const project = aProject();
    await publish(project, 3);
    const counted = async () => (await queue.ledger.count()).get(project);
    expect(await counted()).toEqual({ received: 3, settled: 0, pending: 3, isBalanced: true });

    await queue.redis.del(STREAM_KEYS.calls.pendingChunks);
    expect(await counted()).toEqual({ received: 3, settled: 0, pending: 0, isBalanced: false });
  });

  it('store the watermark of a repair', async () => {
    expect(await queue.ledger.watermark('sweep')).toBeNull();
    await queue.ledger.setWatermark('sweep', '7');
    expect(await queue.ledger.watermark('sweep')).toBe('7');
  });
});

describe('a lock', () => {
  it('lets one holder work at a time, and all in turn', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await pause(5);
      return inside--;
    };

    const results = await Promise.all([1, 2, 3].map(() => withLock(queue.redis, 'x', work)));

    expect([results.length, most]).toEqual([3, 1]);
  });

  it('is released after an error, and does not block another name', async () => {
    const boom = async () => Promise.reject(new Error('boom'));
    await expect(withLock(queue.redis, 'x', boom)).rejects.toThrow('boom');

    await withLock(queue.redis, 'x', async () => {
      expect(await tryLock(queue.redis, 'x', async () => 'in')).toBeUndefined();
      expect(await tryLock(queue.redis, 'y', async () => 'in')).toBe('in');
    });
    expect(await tryLock(queue.redis, 'x', async () => 'in')).toBe('in');
  });

  it('rejects work whose lock was taken over, and aborts its signal', async () => {
    let aborted = false;
    const work = (signal: AbortSignal) =>
      new Promise<void>((done) =>
        signal.addEventListener('abort', () => {
          aborted = true;
          done();
        }),
      );
    const locked = tryLock(queue.redis, 'lost', work, 300);
    await queue.redis.set(`${KEY_PREFIX}:lock:lost`, 'another owner');

    await expect(locked).rejects.toMatchObject({ code: 'lock_lost' });
    expect(aborted).toBe(true);
    expect(await queue.redis.get(`${KEY_PREFIX}:lock:lost`)).toBe('another owner');
  });

  it('expires when its holder dies, who cannot release it afterwards', async () => {
    let revive!: () => void;
    const dead = withLock(queue.redis, 'x', () => new Promise<void>((done) => (revive = done)));
    await eventually(() => revive !== undefined, 20_000);
    const [key] = await queue.redis.keys('*lock*');
    expect(await queue.redis.pttl(key!)).toBeGreaterThan(0);
    await queue.redis.pexpire(key!, 1);

    await withLock(queue.redis, 'x', async () => {
      revive();
      await expect(dead).rejects.toThrow('was lost');
      expect(await tryLock(queue.redis, 'x', async () => 'in')).toBeUndefined();
    });
  });
});
