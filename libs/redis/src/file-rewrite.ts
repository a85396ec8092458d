import { setTimeout as sleep } from 'node:timers/promises';
import { ReplyError, type Redis } from 'ioredis';
import { infoField, onlineReplicas } from './redis-info.js';

const POLL_MS = 100;

/** Whether deleted data is gone from the files of Redis. */
export interface FileRewrite {
  /** Why a file could not be written again, although Redis permits it. */
  readonly failed: readonly string[];
  /** What Redis does not permit. */
  readonly refused: readonly string[];
  /** Every replica has files of its own, which only the replica can rewrite. */
  readonly replicas: number;
}

type Progress = (done: number, total: number) => void;

/** One of the files in which Redis stores its data, and the fields of `INFO persistence` about it. */
interface DataFile {
  readonly name: string;
  readonly command: 'BGREWRITEAOF' | 'BGSAVE';
  readonly busy: readonly string[];
  readonly status: string;
}

const APPEND_ONLY_FILE: DataFile = {
  name: 'append-only file',
  command: 'BGREWRITEAOF',
  busy: ['aof_rewrite_in_progress', 'aof_rewrite_scheduled'],
  status: 'aof_last_bgrewrite_status',
};
const SNAPSHOT: DataFile = {
  name: 'snapshot (dump.rdb)',
  command: 'BGSAVE',
  busy: ['rdb_bgsave_in_progress'],
  status: 'rdb_last_bgsave_status',
};

/**
 * Makes Redis write its files again from what is in memory. A key that was deleted stays in the append-only file until
 * then, which by itself happens when the file has doubled. Resolves when the files are written, or cannot be.
 */
export async function rewriteFiles(
  redis: Redis,
  waitMs: number,
  progress: Progress = () => undefined,
): Promise<FileRewrite> {
  const deadline = Date.now() + waitMs;
  const [failed, refused]: [string[], string[]] = [[], []];
  try {
    for (const file of await filesOf(redis)) {
      const failure = await rewrite(redis, file, deadline, progress);
      if (failure !== undefined) failed.push(failure);
    }
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error;
    refused.push((error as Error).message);
  }
  return { failed, refused, replicas: await replicasOf(redis) };
}

async function replicasOf(redis: Redis): Promise<number> {
  try {
    return onlineReplicas(await redis.info('replication'));
  } catch (error) {
    if (error instanceof ReplyError) return 0;
    throw error;
  }
}

async function filesOf(redis: Redis): Promise<DataFile[]> {
  const hasAppendOnlyFile = infoField(await redis.info('persistence'), 'aof_enabled') === '1';
  return [
    ...(hasAppendOnlyFile ? [APPEND_ONLY_FILE] : []),
    ...((await savesSnapshots(redis)) ? [SNAPSHOT] : []),
  ];
}

/** Managed services may refuse `CONFIG`; they may also refuse to save, so that is only known to be done where it is set. */
async function savesSnapshots(redis: Redis): Promise<boolean> {
  try {
    const [, schedule = ''] = await redis.config('GET', 'save');
    return schedule !== '';
  } catch (error) {
    if (error instanceof ReplyError) return false;
    throw error;
  }
}

/** A rewrite that is already in progress has begun with the data of an earlier time, so another one follows it. */
async function rewrite(
  redis: Redis,
  file: DataFile,
  deadline: number,
  progress: Progress,
): Promise<string | undefined> {
  const late = `Redis has not written its ${file.name} again in time`;
  do {
    if (!(await idle(redis, file, deadline, progress))) return late;
    if (!(await isStarted(redis, file))) continue;
    if (!(await idle(redis, file, deadline, progress))) return late;
    const status = infoField(await redis.info('persistence'), file.status);
    return status === 'ok' ? undefined : `Redis could not write its ${file.name} again (${status})`;
  } while (Date.now() < deadline);
  return late;
}

/** False while another rewrite is in progress. */
async function isStarted(redis: Redis, { command }: DataFile): Promise<boolean> {
  try {
    await redis.call(command);
    return true;
  } catch (error) {
    if (error instanceof ReplyError && /in progress/i.test((error as Error).message)) return false;
    throw error;
  }
}

/** False when Redis is still writing at the deadline. */
async function idle(
  redis: Redis,
  { busy }: DataFile,
  deadline: number,
  progress: Progress,
): Promise<boolean> {
  for (;;) {
    const info = await redis.info('persistence');
    if (busy.every((field) => infoField(info, field) !== '1')) return true;
    if (Date.now() > deadline) return false;
    const [done, total] = ['processed', 'total'].map((what) =>
      Number(infoField(info, `current_save_keys_${what}`) ?? 0),
    );
    progress(done!, total!);
    await sleep(POLL_MS);
  }
}
