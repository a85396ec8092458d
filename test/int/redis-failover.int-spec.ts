import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { decodeChunk } from '@app/events';
import { CALLS_QUEUES } from '@app/queue';
import { KEY_PREFIX } from '@app/redis';
import { aFact } from '../support/facts.js';
import { eventually } from '../support/processes.js';
import { openQueue, type OpenQueue } from '../support/queue.js';
import { RedisServer } from '../support/redis-server.js';
import { aProject } from '../support/test-server.js';

const MASTER = 'the-queue';
const SENTINELS = 3;
const REPLICAS = 2;

let servers: RedisServer[] = [];
let sentinels: RedisServer[] = [];
let ingest: OpenQueue;
let consumer: OpenQueue;
let worker: Worker;
/** The calls that the worker has found in the queue. */
const stored = new Set<string>();

/** The fields of the master as a Sentinel reports them. */
async function masterAt(sentinel: RedisServer): Promise<Record<string, string>> {
  const list = (await sentinel.command('SENTINEL', 'MASTER', MASTER)) as string[];
  return Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]!]] : [])));
}

const knowsAll = async (sentinel: RedisServer) => {
  const known = await masterAt(sentinel);
  return (
    known['num-slaves'] === String(REPLICAS) &&
    known['num-other-sentinels'] === String(SENTINELS - 1)
  );
};

async function currentMaster(): Promise<RedisServer> {
  const { port } = await masterAt(sentinels[0]!);
  return servers.find((server) => String(server.port) === port)!;
}

const onlineReplicas = async (master: RedisServer) =>
  String(await master.command('INFO', 'replication')).match(/state=online/g)?.length ?? 0;

async function startWorker(queue: OpenQueue): Promise<Worker> {
  const store = async ({ id }: { id?: string }) => {
    const payload = await queue.calls.payload(id!);
    for (const { callId } of decodeChunk(id!, payload!)) stored.add(callId);
  };
  const started = new Worker(CALLS_QUEUES.fast, store, {
    connection: queue.redis,
    prefix: KEY_PREFIX,
    stalledInterval: 1000,
    lockDuration: 2000,
    maxStalledCount: 1000,
  });
  started.on('error', () => undefined);
  await started.waitUntilReady();
  return started;
}

beforeAll(async () => {
  const master = await RedisServer.start();
  const replicaof = `127.0.0.1 ${master.port}`;
  const replicas = Array.from({ length: REPLICAS }, () => RedisServer.start({ replicaof }));
  servers = [master, ...(await Promise.all(replicas))];
  await eventually(async () => (await onlineReplicas(master)) === REPLICAS, 10_000);
  const settings = [
    `sentinel monitor ${MASTER} 127.0.0.1 ${master.port} 2`,
    `sentinel down-after-milliseconds ${MASTER} 1000`,
    `sentinel failover-timeout ${MASTER} 3000`,
  ];
  sentinels = await Promise.all(
    Array.from({ length: SENTINELS }, () => RedisServer.sentinel(settings)),
  );
  for (const sentinel of sentinels) await eventually(() => knowsAll(sentinel), 15_000);
  const bySentinel = {
    sentinels: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
    sentinelMaster: MASTER,
  };
  ingest = await openQueue('', bySentinel);
  consumer = await openQueue('', { ...bySentinel, use: 'consumer' });
  worker = await startWorker(consumer);
});

afterAll(async () => {
  await worker?.close();
  await ingest?.close();
  await consumer?.close();
  await Promise.all([...sentinels, ...servers].map((server) => server.stop()));
});

/** Publishes one call after the other, as a client that sends each of them once. */
class Client {
  readonly acknowledged: string[] = [];
  refused = 0;
  private isOver = false;
  private readonly project = aProject();
  private readonly sending = this.send();

  async stop(): Promise<void> {
    this.isOver = true;
    await this.sending;
  }

  private async send(): Promise<void> {
    for (let i = 0; !this.isOver; i++) {
      const callId = `${this.project} ${i}`;
      const published = ingest.publisher.publish([
        aFact('start', { projectId: this.project, callId }),
      ]);
      await published.then(
        () => this.acknowledged.push(callId),
        () => this.refused++,
      );
      await pause(5);
    }
  }
}

const isReady = () =>
  ingest.guard
    .writeCheck()
    .problem()
    .then(
      (problem) => problem === undefined,
      () => false,
    );

/** Runs a fail-over while a client sends. Resolves when everything acknowledged is stored. */
async function failOver(act: (master: RedisServer) => Promise<unknown>): Promise<void> {
  const client = new Client();
  await eventually(() => client.acknowledged.length > 20, 5000);
  const before = await currentMaster();
  await act(before);
  await eventually(async () => (await currentMaster()) !== before, 15_000);
  const count = client.acknowledged.length;
  await eventually(() => client.acknowledged.length > count + 20, 10_000);
  await eventually(isReady, 2000);
  await client.stop();

  const isStored = () => client.acknowledged.filter((callId) => !stored.has(callId)).length === 0;
  await eventually(isStored, 10_000);
}

describe('a Redis with two replicas and three Sentinels', () => {
  it('accepts writes again after its master was killed, and has lost none that it acknowledged', async () => {
    let killed: RedisServer | undefined;
    await failOver(async (master) => {
      killed = master;
      await master.kill();
      await eventually(async () => !(await isReady()), 1000);
    });
    await killed!.start();
  });

  it('accepts writes again after a planned fail-over, and has lost none that it acknowledged', async () => {
    const hasReplicas = async () => (await onlineReplicas(await currentMaster())) === REPLICAS;
    await eventually(hasReplicas, 15_000);
    // A Sentinel gives up when a replica is slow, and refuses while another fail-over is in progress.
    const startFailOver = () => sentinels[0]!.command('SENTINEL', 'FAILOVER', MASTER);
    const isDone = async (before: RedisServer) => {
      if ((await currentMaster()) !== before) return true;
      await startFailOver().catch(() => undefined);
      await pause(1000);
      return false;
    };

    await failOver((before) => eventually(() => isDone(before), 30_000));
  });

  it('acknowledges nothing on a master whose replica is promoted, although the other one confirms', async () => {
    const publish = () =>
      ingest.publisher.publish([aFact('start', { projectId: aProject(), callId: 'c' })]);
    const master = await currentMaster();
    await eventually(async () => (await onlineReplicas(master)) === REPLICAS, 15_000);
    await eventually(isReady, 5000);
    await publish();

    // As a Sentinel does first.
    const promoted = servers.find((server) => server !== master)!;
    await promoted.command('REPLICAOF', 'NO', 'ONE');
    await eventually(async () => (await onlineReplicas(master)) === 1, 5000);
    await expect(publish()).rejects.toMatchObject({ code: 'write_unconfirmed' });
    // The Sentinels undo it, since none of them has begun a fail-over.
    await eventually(() => publish().then(() => true), 20_000);
  });
});
