import { Job, type Queue } from 'bullmq';
import {
  isMissingScript,
  queueError,
  QueueUnavailableError,
  SetBytesCommand,
  type ChainableCommander,
  type Pipeline,
  type Redis,
  type WriteGuard,
} from '@app/redis';

const JOB_NAME = 'chunk';

/** The data of a job. The chunk itself is in its payload. */
export interface ChunkJob {
  /** The traces in which the worker reports what it does with the chunk. */
  readonly traceparents?: readonly string[];
}

const NO_DATA: ChunkJob = {};

/** More bytes than this take too long to be copied in the turn of the event loop in which ioredis sends them. */
const TURN_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Own commands and BullMQ's "add job" in one MULTI. In separate transactions a worker could find a job before its payload.
 * BullMQ offers this for flows only; this file is the only one that relies on it.
 */
export interface QueueTransaction {
  readonly commands: ChainableCommander;
  readonly addJob: (queue: Queue, id: string, data?: ChunkJob) => void;
  /** Sets a key to bytes, which may be many. */
  readonly setBytes: (key: string, bytes: Buffer) => void;
  /** Call this before `commit`. Copies many bytes in several turns of the event loop. */
  readonly prepare: () => Promise<void>;
  /**
   * Resolves to the replies when Redis has executed all commands and a replica has them. Rejects with a queue error when Redis
   * has executed none, or when that is unknown, and with WriteUnconfirmedError when no replica has confirmed them in time.
   */
  readonly commit: () => Promise<unknown[]>;
}

type JobClient = Parameters<Job['addJob']>[0];

interface AddedJob {
  readonly queue: Queue;
  readonly id: string;
  readonly added: Promise<unknown>;
}

/** Any queue will do, because all queues share the connection `redis`. */
export async function beginTransaction(
  queue: Queue,
  redis: Redis,
  guard: WriteGuard,
): Promise<QueueTransaction> {
  // BullMQ waits for its first connection without limit, which a process that serves clients must not do.
  if (redis.status !== 'ready' && !redis.options.enableOfflineQueue) {
    throw new QueueUnavailableError('Redis is not connected');
  }
  await queue.backend.client;
  const multi = multiOf(redis);
  const jobs: AddedJob[] = [];
  const sets: SetBytesCommand[] = [];
  let bytesToSet = 0;
  const commit = async (): Promise<unknown[]> => {
    await Promise.all(jobs.map(({ added }) => added));
    const replies = await guard.confirmed(multi.exec());
    const { values, isScriptMissing } = repliesOf(replies);
    if (!isScriptMissing) return values;
    // Redis had dropped BullMQ's script, so it has executed all commands but those that add jobs.
    await Promise.all(jobs.map(({ queue: to, id }) => addJob(to, id)));
    await guard.confirm();
    return values;
  };
  return {
    commands: multi,
    setBytes: (key, bytes) => {
      const command = new SetBytesCommand(key, bytes);
      sets.push(command);
      bytesToSet += bytes.length;
      multi.sendCommand(command);
    },
    prepare: async () => {
      if (bytesToSet <= TURN_MAX_BYTES) return;
      for (const command of sets) await command.prepare();
      // Redis may be another one by now.
      await guard.requireWritable();
    },
    addJob: (to, id, data = NO_DATA) => {
      const job = new Job(to, JOB_NAME, data, to.jobsOpts, id);
      jobs.push({ queue: to, id, added: job.addJob(multi as unknown as JobClient) });
    },
    commit: () =>
      commit().catch((error: unknown) => {
        throw queueError(error);
      }),
  };
}

/** What BullMQ calls to execute one of its scripts in a transaction. */
interface ScriptRunner {
  readonly runCommand: (name: string, args: readonly unknown[]) => unknown;
}

type Multi = ChainableCommander & Pipeline & ScriptRunner;
type Scripts = Record<string, (args: readonly unknown[]) => unknown>;

function multiOf(redis: Redis): Multi {
  const multi = Object.assign(forAddingJobs(redis).multi(), {
    runCommand: (name: string, args: readonly unknown[]) =>
      (multi as unknown as Scripts)[name]!(args),
  }) as Multi;
  return multi;
}

const connections = new WeakMap<Redis, Redis>();

/**
 * The same connection, which shows only the scripts that add jobs. ioredis copies all scripts of a connection to each new
 * transaction, and BullMQ has 64: half of the time of a small transaction. Call this once BullMQ has defined them.
 */
function forAddingJobs(redis: Redis): Redis {
  const known = connections.get(redis);
  if (known !== undefined) return known;
  const all = Object.entries(redis.scriptsSet);
  const adding = Object.fromEntries(all.filter(([name]) => /^add\w*Job:/.test(name)));
  const connection = Object.create(redis, {
    scriptsSet: { value: adding },
    sendCommand: { value: redis.sendCommand.bind(redis) },
  }) as Redis;
  connections.set(redis, connection);
  return connection;
}

/**
 * Adds the job of a chunk unless it exists. Outside a transaction ioredis sends the text of a script that Redis does not have,
 * which also loads the script again for later transactions.
 */
export async function addJob(queue: Queue, chunkId: string): Promise<void> {
  await queue.add(JOB_NAME, {}, { jobId: chunkId });
}

/** Throws the first error of the replies, unless it is that a script is missing. */
export function repliesOf(replies: readonly [Error | null, unknown][] | null): {
  values: unknown[];
  isScriptMissing: boolean;
} {
  if (replies === null) throw new Error('Redis dropped the transaction');
  const errors = replies.flatMap(([error]) => error ?? []);
  const failed = errors.find((error) => !isMissingScript(error));
  if (failed) throw failed;
  return { values: replies.map(([, value]) => value), isScriptMissing: errors.length > 0 };
}
