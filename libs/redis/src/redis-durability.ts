import { ReplyError, type Redis } from 'ioredis';
import { StartupError, type RedisConfig } from '@app/config';
import type { Check, Logger } from '@app/observability';
import { onlineReplicas } from './redis-info.js';

/** Reply of `CONFIG GET`. */
type RedisSettings = ReadonlyMap<string, string>;

/** What Redis reports about itself. */
export interface RedisState {
  readonly settings: RedisSettings;
  readonly isReplica: boolean;
  readonly isCluster: boolean;
  /** Why Redis cannot append to its file; with `appendfsync always` it ends instead. */
  readonly appendProblem: string | undefined;
  /** Replicas that have copied all data and follow the master. */
  readonly replicas: number;
  /** Another one after a fail-over; empty when Redis does not report it. */
  readonly replicationId: string;
}

export async function readState(redis: Redis): Promise<RedisState> {
  const [settings, replication, cluster, persistence] = await Promise.all([
    settingsOf(redis),
    infoOf(redis, 'replication'),
    infoOf(redis, 'cluster'),
    infoOf(redis, 'persistence'),
  ]);
  return {
    settings,
    isReplica: /^role:slave/m.test(replication),
    isCluster: /^cluster_enabled:1/m.test(cluster),
    appendProblem: appendProblem(persistence),
    replicas: onlineReplicas(replication),
    replicationId: /^master_replid:(\w+)/m.exec(replication)?.[1] ?? '',
  };
}

function appendProblem(persistence: string): string | undefined {
  return /^aof_last_write_status:err/m.test(persistence)
    ? 'Redis cannot write to its append-only file; free space on its disk'
    : undefined;
}

/** Redis accepts writes although it cannot shorten its append-only file, which then grows until the disk is full. */
export const rewriteCheck = (redis: Redis): Check => ({
  name: 'append-only file',
  isAdvisory: true,
  problem: async () =>
    /^aof_last_bgrewrite_status:err/m.test(await infoOf(redis, 'persistence'))
      ? 'Redis could not rewrite its append-only file, which grows until it can; see docs/operations/disk-full.md'
      : undefined,
});

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
async function settingsOf(redis: Redis): Promise<RedisSettings> {
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

/** With these settings no acknowledged write is lost when the process or its machine fails. */
const PERSISTENCE = { appendonly: 'yes', appendfsync: 'always' };
/** Required if memory is limited. */
const EVICTION = { 'maxmemory-policy': 'noeviction' };
/** The settings with which Redis could lose an acknowledged fact. */
export function weaknessesOf(settings: RedisSettings): string[] {
  const isBounded = settings.get('maxmemory') !== '0';
  return Object.entries({ ...PERSISTENCE, ...(isBounded && EVICTION) }).flatMap(([name, safe]) => {
    const actual = settings.get(name);
    return !actual || actual === safe ? [] : [`${name} is ${actual} instead of ${safe}`];
  });
}

/** Some managed services reply without these settings. */
const reportsPersistence = (settings: RedisSettings): boolean =>
  Object.keys(PERSISTENCE).every((name) => settings.get(name));

type Strictness = Pick<RedisConfig, 'allowNonDurable'>;

/** The reason why facts could be lost, unless the operator allows it. */
export function durabilityProblem(
  settings: RedisSettings,
  { allowNonDurable }: Strictness,
): string | undefined {
  if (allowNonDurable) return undefined;
  const weak = weaknessesOf(settings);
  if (weak.length > 0) return `Redis could lose acknowledged writes (${weak.join(', ')})`;
  if (reportsPersistence(settings)) return undefined;
  return 'Redis could lose acknowledged writes (it does not report appendonly and appendfsync)';
}

/** Rejects with a StartupError when this Redis cannot be the queue, or could lose acknowledged facts. */
export async function requireDurable(redis: Redis, config: Strictness): Promise<void> {
  const state = await readState(redis);
  const unusable = serverProblem(state);
  if (unusable !== undefined) throw new StartupError(`${unusable}.`);
  const problem = durabilityProblem(state.settings, config);
  if (problem === undefined) return;
  throw new StartupError(
    `${problem}; change these settings, or set ALLOW_NON_DURABLE_REDIS=yes to accept the risk.`,
  );
}

/**
 * A process is not ready while acknowledged facts could be lost. Weak settings are also logged with every new connection to
 * Redis.
 */
export function durabilityCheck(redis: Redis, config: Strictness, logger: Logger): Check {
  // A broken connection is logged elsewhere, and the next connection checks again.
  const check = () =>
    void report(redis, config, logger).catch((error: Error) =>
      logger.debug('The settings of Redis could not be read', { error: error.message }),
    );
  redis.on('ready', check);
  if (redis.status === 'ready') check();
  return {
    name: 'durability',
    problem: async () => durabilityProblem(await settingsOf(redis), config),
  };
}

const SEE = { see: 'docs/operations/redis.md' };

async function report(
  redis: Redis,
  { allowNonDurable }: Strictness,
  logger: Logger,
): Promise<void> {
  const settings = await settingsOf(redis);
  if (!reportsPersistence(settings)) {
    logger.warn('Redis does not report its persistence settings; durability is unknown.', SEE);
  }
  const weak = weaknessesOf(settings);
  if (weak.length > 0) {
    const level = allowNonDurable ? 'warn' : 'error';
    logger[level]('Redis could lose acknowledged writes.', {
      weak,
      allowNonDurable,
      ...SEE,
    });
  }
  if (settings.get('maxmemory') === '0') {
    logger.warn(
      'Redis has no maxmemory: writes are accepted until the machine runs out of memory.',
      SEE,
    );
  }
}
