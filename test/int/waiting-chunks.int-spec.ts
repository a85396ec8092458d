import { randomUUID } from 'node:crypto';
import { metricsPage } from '@app/observability';
import { CALLS_QUEUES, KEYS, queueChecks, QueueProgress, STREAM_KEYS } from '@app/queue';
import { KEY_PREFIX } from '@app/redis';
import { millis, nowMillis } from '@app/wire';
import { aFact } from '../support/facts.js';
import { openQueue, type OpenQueue } from '../support/queue.js';
import { RedisServer } from '../support/redis-server.js';

const FEW = 1000;
const MANY = 100_000;
/** Redis executes one command at a time, so every client waits this long at most. */
const MAX_COMMAND_MS = 100;
/** The chunks that one run of the reconciler may examine. */
const RECONCILED_MAX = 21_000;
const RUNS = 3;
const PROJECT = 'acme/waiting';

/** What Redis did for one operation. */
interface Work {
  /** The longest average duration of a command. */
  readonly slowestMs: number;
  readonly commands: number;
  readonly repliedBytes: number;
}

let server: RedisServer;
let queue: OpenQueue;

beforeAll(async () => {
  server = await RedisServer.start();
  queue = await openQueue(server.url, { use: 'consumer' });
});
afterAll(async () => {
  await queue.close();
  await server.stop();
});

/** Publishes one chunk. Resolves to its id. */
async function publish(): Promise<string> {
  const transaction = await queue.calls.begin();
  const fact = aFact('end', { projectId: PROJECT, callId: randomUUID() });
  queue.calls.add(transaction, queue.fast, [fact], nowMillis());
  await transaction.commit();
  const [newest] = await queue.redis.zrange(STREAM_KEYS.calls.inflight, -1, '-1');
  return newest!;
}

/**
 * Copies a chunk as often as its publisher would have sent it: payload, pending entry, counts and job.
 *
 * KEYS: pending entries, inflight, ledger, sequence, waiting jobs. ARGV: chunk, its project, prefixes of payloads and of jobs,
 * the first number and the last.
 */
const COPY = `
local entry = redis.call('HGET', KEYS[1], ARGV[1])
local score = redis.call('ZSCORE', KEYS[2], ARGV[1])
local sets = cjson.decode(entry).pendingWrites
for i = tonumber(ARGV[5]), tonumber(ARGV[6]) do
  local id = string.format('%08x-0000-4000-8000-000000000000', i)
  redis.call('COPY', ARGV[3] .. ARGV[1], ARGV[3] .. id)
  redis.call('COPY', ARGV[4] .. ARGV[1], ARGV[4] .. id)
  redis.call('LPUSH', KEYS[5], id)
  redis.call('HSET', KEYS[1], id, entry)
  redis.call('ZADD', KEYS[2], score, id)
  local sequence = redis.call('INCR', KEYS[4])
  for _, set in ipairs(sets) do redis.call('ZADD', set, sequence, id) end
  for _, field in ipairs({'received', 'received:' .. ARGV[2]}) do redis.call('HINCRBY', KEYS[3], field, 1) end
end`;
const COPIES_PER_SCRIPT = 1000;

async function copy(chunkId: string, first: number, last: number): Promise<void> {
  const { pendingChunks, inflight, ledger, payload } = STREAM_KEYS.calls;
  const jobs = `${KEY_PREFIX}:${CALLS_QUEUES.fast}:`;
  const keys = [pendingChunks, inflight, ledger, KEYS.writeSequence, `${jobs}wait`];
  for (let from = first; from <= last; from += COPIES_PER_SCRIPT) {
    const until = Math.min(last, from + COPIES_PER_SCRIPT - 1);
    const args = [chunkId, PROJECT, payload(''), jobs, from, until];
    await queue.redis.eval(COPY, keys.length, ...keys, ...args);
  }
}

const later = () => millis(Date.now() + 60_000);

const OPERATIONS: Readonly<Record<string, () => Promise<unknown>>> = {
  'a scrape of /metrics': metricsPage,
  'a read that waits': () => queue.pending.settled(PROJECT, 'ann', 0),
  'a delete that waits': () => queue.pending.projectSettled(PROJECT, 0),
  'an erasure that waits': () => queue.ledger.pendingFacts(PROJECT),
  readiness: () => {
    const checks = queueChecks(new QueueProgress(queue.redis), { maxLagMs: 60_000 });
    return Promise.all([...checks, queue.guard.writeCheck()].map((check) => check.problem()));
  },
  'a write': publish,
  'the reconciler': () => queue.calls.reconcile(later()),
  'the removal of orphans': () => queue.calls.sweepOrphans(),
  'the ledger': () => queue.ledger.count(),
};

const INTERNAL = /^(info|config\|\w+|exec|multi)$/;

async function workOf(operation: () => Promise<unknown>): Promise<Work> {
  const { redis } = queue;
  const repliedBytes = async () => numberIn(await redis.info('stats'), 'total_net_output_bytes');
  await redis.config('RESETSTAT');
  const before = await repliedBytes();
  await operation();
  const bytes = (await repliedBytes()) - before;
  const stats = [
    ...(await redis.info('commandstats')).matchAll(
      /^cmdstat_([^:]+):calls=(\d+),.*usec_per_call=([\d.]+)/gm,
    ),
  ].filter(([, name]) => !INTERNAL.test(name!));
  return {
    slowestMs: Math.max(...stats.map(([, , , micros]) => Number(micros) / 1000)),
    commands: stats.reduce((sum, [, , calls]) => sum + Number(calls), 0),
    repliedBytes: bytes,
  };
}

const numberIn = (info: string, name: string) =>
  Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)![1]);

/** The least work of several runs, because another process may interrupt Redis during one of them. */
async function leastWork(): Promise<Map<string, Work>> {
  const least = new Map<string, Work>();
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const runs: Work[] = [];
    for (let run = 0; run < RUNS; run++) runs.push(await workOf(operation));
    const min = (of: keyof Work) => Math.min(...runs.map((work) => work[of]));
    least.set(name, {
      slowestMs: min('slowestMs'),
      commands: min('commands'),
      repliedBytes: min('repliedBytes'),
    });
  }
  return least;
}

describe('100,000 waiting chunks', () => {
  const PAGED = ['the reconciler', 'the removal of orphans', 'the ledger'];
  let few: Map<string, Work>;
  let many: Map<string, Work>;

  beforeAll(async () => {
    const chunk = await publish();
    await copy(chunk, 2, FEW);
    few = await leastWork();
    await copy(chunk, FEW + 1, MANY);
    many = await leastWork();
  });

  it.each(Object.keys(OPERATIONS))('make no command of %s slow', (name) => {
    expect(many.get(name)!.slowestMs).toBeLessThan(MAX_COMMAND_MS);
  });

  it.each(Object.keys(OPERATIONS).filter((name) => !PAGED.includes(name)))(
    'make %s need no more commands, longer commands or longer replies than 1,000 do',
    (name) => {
      const [before, after] = [few.get(name)!, many.get(name)!];
      expect(after.commands).toBeLessThanOrEqual(before.commands);
      expect(after.repliedBytes).toBeLessThan(before.repliedBytes * 1.2);
      expect(after.slowestMs).toBeLessThan(before.slowestMs * 5 + 20);
    },
  );

  it('are reconciled in bounded runs, which find every chunk without a job', async () => {
    expect(many.get('the reconciler')!.commands).toBeLessThan(RECONCILED_MAX);
    const [lost] = await queue.redis.zrandmember(STREAM_KEYS.calls.inflight, 1);
    await queue.fast.remove(lost!);
    let enqueued = 0;
    for (let run = 0; run < 2 * Math.ceil(MANY / 20_000); run++)
      enqueued += (await queue.calls.reconcile(later())).enqueued;

    expect(enqueued).toBe(1);
    expect((await queue.fast.getJob(lost!))?.id).toBe(lost);
  });
});
