import { Redis } from 'ioredis';
import { requireDurable, serverCheck } from '@app/redis';
import { aFact } from '../support/facts.js';
import { eventually } from '../support/processes.js';
import { countsInRedis, countsOf, openQueue, type OpenQueue } from '../support/queue.js';
import { RedisServer } from '../support/redis-server.js';
import { aProject } from '../support/test-server.js';

let open: { close: () => Promise<unknown> }[] = [];
afterEach(async () => {
  for (const { close } of open.reverse()) await close();
  open = [];
});

async function server(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  const started = await RedisServer.start(settings);
  open.push({ close: () => started.stop() });
  return started;
}

async function queueAt(...args: Parameters<typeof openQueue>): Promise<OpenQueue> {
  const queue = await openQueue(...args);
  open.push(queue);
  return queue;
}

const publish = ({ publisher }: OpenQueue) =>
  publisher.publish([aFact('start', { projectId: aProject(), callId: 'c' })]);
const publishedWithin = (queue: OpenQueue, ms: number) =>
  eventually(() => publish(queue).then(() => true), ms);
/** What readiness reports about a write. */
const readiness = ({ guard }: OpenQueue) =>
  guard
    .writeCheck()
    .problem()
    .then(
      (problem) => problem ?? 'ok',
      ({ message }: Error) => message,
    );
const entry = { userId: 'ann', action: 'x', projectId: 'a/b', detail: {} };

describe('a Redis that could lose acknowledged writes', () => {
  it('gets none until its settings are durable', async () => {
    const redis = await server({ appendonly: 'no' });
    const queue = await queueAt(redis.url);
    const refused = {
      code: 'queue_not_durable',
      message: 'Redis could lose acknowledged writes (appendonly is no instead of yes).',
    };

    await expect(publish(queue)).rejects.toMatchObject(refused);
    await expect(queue.audit.record(entry)).rejects.toMatchObject(refused);
    expect(await readiness(queue)).toBe(refused.message);
    expect(await countsInRedis(queue.redis)).toEqual(countsOf(0, 0));

    await redis.command('CONFIG', 'SET', 'appendonly', 'yes');
    await publishedWithin(queue, 3000);
    expect(await readiness(queue)).toBe('ok');
  });

  it('gets none within two seconds after its settings became weak', async () => {
    const redis = await server();
    const queue = await queueAt(redis.url);
    await publish(queue);
    await redis.command('CONFIG', 'SET', 'appendfsync', 'everysec');

    await eventually(
      () =>
        publish(queue).then(
          () => false,
          ({ code }: { code: string }) => code === 'queue_not_durable',
        ),
      2000,
    );
  });

  it('gets writes when the operator has accepted the risk', async () => {
    const redis = await server({ appendonly: 'no' });
    const queue = await queueAt(redis.url, { allowNonDurable: true });

    await publish(queue);
    expect(await readiness(queue)).toBe('ok');
  });

  it('is also one that does not report its settings', async () => {
    const redis = await server();
    await redis.command('ACL', 'SETUSER', 'guest', 'on', '>secret', '~*', '&*', '+@all', '-config');
    const queue = await queueAt(`redis://guest:secret@127.0.0.1:${redis.port}`);

    await expect(publish(queue)).rejects.toMatchObject({ code: 'queue_not_durable' });
  });
});

describe('readiness', () => {
  it('is lost while Redis refuses writes because it is full', async () => {
    const redis = await server();
    const queue = await queueAt(redis.url, { memoryPercent: 1000 });
    expect(await readiness(queue)).toBe('ok');
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');

    expect(await readiness(queue)).toMatch(/^OOM /);
    await expect(publish(queue)).rejects.toMatchObject({ code: 'queue_full' });

    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    expect(await readiness(queue)).toBe('ok');
  });

  it('is lost while Redis is a replica, also one that would accept writes', async () => {
    const redis = await server({ 'replica-read-only': 'no' });
    const queue = await queueAt(redis.url);
    await redis.command('REPLICAOF', '127.0.0.1', '1');

    const isReplica = 'Redis is a replica and accepts no writes';
    expect(await readiness(queue)).toBe(isReplica);
    expect(await serverCheck(queue.redis).problem()).toBe(isReplica);
    await expect(publish(queue)).rejects.toMatchObject({ code: 'queue_unavailable' });

    await redis.command('REPLICAOF', 'NO', 'ONE');
    expect(await readiness(queue)).toBe('ok');
    await publish(queue);
  });
});

describe('a node of a Redis Cluster', () => {
  it('is refused at the start, and gets no writes', async () => {
    const redis = await server({ 'cluster-enabled': 'yes' });
    const queue = await queueAt(redis.url);
    const refusal =
      /^Redis runs in cluster mode, which Heddle does not support; use a single Redis/;

    await expect(publish(queue)).rejects.toMatchObject({ code: 'queue_unavailable' });
    expect(await readiness(queue)).toMatch(refusal);
    const connection = new Redis(redis.url);
    await expect(requireDurable(connection, { allowNonDurable: true })).rejects.toMatchObject({
      code: 'startup_failed',
      message: expect.stringMatching(refusal) as string,
    });
    connection.disconnect();
  });
});

describe('a Redis with a replica', () => {
  const isOnline = async (master: RedisServer) =>
    /state=online/.test(String(await master.command('INFO', 'replication')));

  async function pair() {
    const master = await server();
    const replica = await server({ replicaof: `127.0.0.1 ${master.port}` });
    await eventually(() => isOnline(master), 10_000);
    return { master, replica };
  }

  it('has every acknowledged write on its replica', async () => {
    const { master, replica } = await pair();
    const queue = await queueAt(master.url);
    const copy = new Redis(replica.port, '127.0.0.1');
    open.push({ close: async () => copy.disconnect() });

    for (let chunks = 1; chunks <= 20; chunks++) {
      await publish(queue);
      expect(await countsInRedis(copy)).toEqual(countsOf(chunks, chunks));
    }
    await queue.audit.record(entry);
    expect(await copy.llen('{heddle}:audit')).toBe(1);
  });

  it('confirms no write while the replica does not reply, and stores it once', async () => {
    const { master, replica } = await pair();
    const queue = await queueAt(master.url, { replicaWaitMs: 1000 });
    await publish(queue);
    replica.freeze();

    await expect(publish(queue)).rejects.toMatchObject({ code: 'write_unconfirmed' });
    expect(await readiness(queue)).toMatch(/^No replica has confirmed the write within 1000 ms/);
    expect(await countsInRedis(queue.redis)).toEqual(countsOf(2, 2));

    replica.unfreeze();
    await publishedWithin(queue, 5000);
    expect(await readiness(queue)).toBe('ok');
  });

  it('does not wait for the replica when the setting is 0', async () => {
    const { master, replica } = await pair();
    const queue = await queueAt(master.url, { replicaWaitMs: 0 });
    replica.freeze();

    await publish(queue);
    replica.unfreeze();
  });

  it('confirms writes alone once its replica is gone', async () => {
    const { master, replica } = await pair();
    const queue = await queueAt(master.url);
    await publish(queue);
    await replica.kill();

    await publishedWithin(queue, 5000);
  });
});
