import { Job, type Queue } from 'bullmq';
import { queueError, QueueUnavailableError, type ChainableCommander, type Redis } from '@app/redis';

/**
 * Our own commands and BullMQ's "add a job" in one MULTI on one connection. With two connections a worker may find the
 * job before its payload is there. BullMQ offers this for flows only; this file is the one place that relies on it.
 */
export interface QueueTransaction {
  readonly commands: ChainableCommander;
  readonly addJob: (queue: Queue, id: string) => void;
  /** Resolves to the replies when Redis has done all of it; rejects with a queue error when it has done none. */
  readonly commit: () => Promise<unknown[]>;
}

/** Any of the queues may be given: they share one connection, `redis`. */
export async function beginTransaction(queue: Queue, redis: Redis): Promise<QueueTransaction> {
  // BullMQ waits for its first connection for as long as it takes; whoever answers a client must not.
  if (redis.status !== 'ready' && !redis.options.enableOfflineQueue) {
    throw new QueueUnavailableError('Redis is not connected');
  }
  const client = await queue.backend.client;
  const multi = client.multi();
  const added: Promise<unknown>[] = [];
  return {
    // The queue is built on ioredis, so its transactions are ioredis ones with a few methods more.
    commands: multi as unknown as ChainableCommander,
    addJob: (to, id) => void added.push(new Job(to, 'chunk', {}, to.jobsOpts, id).addJob(multi)),
    commit: () =>
      Promise.all(added)
        .then(() => multi.exec())
        .then(repliesOf)
        .catch((error: unknown) => {
          throw queueError(error);
        }),
  };
}

function repliesOf(replies: readonly [Error | null, unknown][] | null): unknown[] {
  if (replies === null) throw new Error('Redis dropped the transaction');
  const failed = replies.find(([error]) => error !== null);
  if (failed?.[0]) throw failed[0];
  return replies.map(([, reply]) => reply);
}
