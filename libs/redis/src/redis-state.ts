import { ReplyError, type Redis } from 'ioredis';
import type { Check } from '@app/observability';

/** Reply of `CONFIG GET`. */
export type RedisSettings = ReadonlyMap<string, string>;

/** What Redis reports about itself. */
export interface RedisState {
  readonly settings: RedisSettings;
  readonly isReplica: boolean;
  readonly isCluster: boolean;
  /** Replicas that have copied all data and follow the master. */
  readonly replicas: number;
}

export async function readState(redis: Redis): Promise<RedisState> {
  const [settings, replication, cluster] = await Promise.all([
    settingsOf(redis),
    infoOf(redis, 'replication'),
    infoOf(redis, 'cluster'),
  ]);
  return {
    settings,
    isReplica: /^role:slave/m.test(replication),
    isCluster: /^cluster_enabled:1/m.test(cluster),
    replicas: replication.match(/^slave\d+:.*\bstate=online\b/gm)?.length ?? 0,
  };
}

/** Empty if Redis refuses the command, as managed services may do. */
async function infoOf(redis: Redis, section: string): Promise<string> {
  try {
    return await redis.info(section);
  } catch (error) {
    if (error instanceof ReplyError) return '';
    throw error;
  }
}

/** For `CONFIG GET`. */
const PATTERNS = ['append*', 'maxmemory*'];

/** Empty if Redis refuses the command, as managed services often do. */
export async function settingsOf(redis: Redis): Promise<RedisSettings> {
  try {
    const replies = await Promise.all(PATTERNS.map((names) => redis.config('GET', names)));
    return new Map(replies.flatMap((pairs) => pairsOf(pairs)));
  } catch (error) {
    if (error instanceof ReplyError) return new Map();
    throw error;
  }
}

function pairsOf(list: readonly string[]): [string, string][] {
  return list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] ?? '']] : []));
}

/** The reason why this server cannot be the queue, whatever its settings. */
export function serverProblem({ isReplica, isCluster }: RedisState): string | undefined {
  if (isCluster) {
    return 'Redis runs in cluster mode, which Heddle does not support; use a single Redis, or one with Sentinels';
  }
  return isReplica ? 'Redis is a replica and accepts no writes' : undefined;
}

/** A process that only consumes the queue is not ready while its Redis cannot be the queue. */
export const serverCheck = (redis: Redis): Check => ({
  name: 'role',
  problem: async () => serverProblem(await readState(redis)),
});
