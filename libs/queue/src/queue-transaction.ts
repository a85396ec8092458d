import { Job, type Queue } from 'bullmq';
import { queueError, QueueUnavailableError, type ChainableCommander, type Redis } from '@app/redis';

/**
 * Own commands and BullMQ's "add job" in one MULTI. In separate transactions a worker could find a job before its payload.
 * BullMQ offers this for flows only; this file is the only one that relies on it.
 */
export interface QueueTransaction {
  readonly commands: ChainableCommander;
  readonly addJob: (queue: Queue, id: string) => void;
  /** Resolves to the replies when Redis has executed all commands; rejects with a queue error when it has executed none. */
  readonly commit: () => Promise<unknown[]>;
}

/** Any queue will do, because all queues share the connection `redis`. */
export async function beginTransaction(queue: Queue, redis: Redis): Promise<QueueTransaction> {
  // BullMQ waits for its first connection without limit, which a process that serves clients must not do.
  if (redis.status !== 'ready' && !redis.options.enableOfflineQueue) {
    throw new QueueUnavailableError('Redis is not connected');
  }
  const client = await queue.backend.client;
  const multi = client.multi();
  const added: Promise<unknown>[] = [];
  return {
    // BullMQ uses ioredis, so its transactions are ioredis transactions with additional methods.
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
