import { ReplyError, type Redis } from 'ioredis';
import { StartupError, type RedisConfig } from '@app/config';
import type { Check, Logger } from '@app/observability';

/** What a Redis says of itself to `CONFIG GET`. */
export type RedisSettings = ReadonlyMap<string, string>;

/** By which nothing that was acknowledged is lost with the process, or with its machine. */
const PERSISTENCE = { appendonly: 'yes', appendfsync: 'always' };
/** Matters where memory is bounded. */
const EVICTION = { 'maxmemory-policy': 'noeviction' };
const ASKED = ['append*', 'maxmemory*'];

/** None when it does not tell: those that somebody else runs often do not. */
async function settingsOf(redis: Redis): Promise<RedisSettings> {
  try {
    const told = await Promise.all(ASKED.map((names) => redis.config('GET', names)));
    return new Map(told.flatMap((pairs) => pairsOf(pairs)));
  } catch (error) {
    if (error instanceof ReplyError) return new Map();
    throw error;
  }
}

function pairsOf(list: readonly string[]): [string, string][] {
  return list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] ?? '']] : []));
}

/** Why a fact that Redis has acknowledged could be lost all the same; nothing when it could not. */
export function weaknessesOf(settings: RedisSettings): string[] {
  const isBounded = settings.get('maxmemory') !== '0';
  return Object.entries({ ...PERSISTENCE, ...(isBounded && EVICTION) }).flatMap(([name, safe]) => {
    const told = settings.get(name);
    return !told || told === safe ? [] : [`${name} is ${told} instead of ${safe}`];
  });
}

/** Some answer, and leave out what their customers are not to see: nothing can be held against what is not told. */
const tellsPersistence = (settings: RedisSettings): boolean =>
  Object.keys(PERSISTENCE).every((name) => settings.get(name));

type Strictness = Pick<RedisConfig, 'allowNonDurable'>;

/** What is wrong with this Redis, when it matters to whoever set it up. */
async function objection(
  redis: Redis,
  { allowNonDurable }: Strictness,
): Promise<string | undefined> {
  const settings = await settingsOf(redis);
  const weak = allowNonDurable ? [] : weaknessesOf(settings);
  if (weak.length === 0) return undefined;
  return `Redis could forget what it has acknowledged (${weak.join(', ')})`;
}

/** Throws a StartupError when facts would be acknowledged that could be lost. */
export async function requireDurable(redis: Redis, config: Strictness): Promise<void> {
  const found = await objection(redis, config);
  if (found === undefined) return;
  throw new StartupError(
    `${found}; set it so, or set ALLOW_NON_DURABLE_REDIS=yes to take the risk.`,
  );
}

/**
 * Nobody is sent to a process that would acknowledge facts that could be lost. What an operator should know about a Redis
 * is also logged, with every new connection to it.
 */
export function durabilityCheck(redis: Redis, config: Strictness, logger: Logger): Check {
  // A connection that breaks meanwhile is reported by itself, and the next one asks again.
  const look = () =>
    void report(redis, config, logger).catch((error: Error) =>
      logger.debug('Redis could not be asked how it is set.', { error: error.message }),
    );
  redis.on('ready', look);
  if (redis.status === 'ready') look();
  return { name: 'durability', problem: () => objection(redis, config) };
}

const SEE = { see: 'docs/operations/redis.md' };

async function report(
  redis: Redis,
  { allowNonDurable }: Strictness,
  logger: Logger,
): Promise<void> {
  const settings = await settingsOf(redis);
  if (!tellsPersistence(settings)) {
    logger.warn('Redis does not tell how it is set; whether it keeps facts is not known.', SEE);
  }
  const weak = weaknessesOf(settings);
  if (weak.length > 0) {
    const level = allowNonDurable ? 'warn' : 'error';
    logger[level]('Redis could forget what it has acknowledged.', {
      weak,
      allowNonDurable,
      ...SEE,
    });
  }
  if (settings.get('maxmemory') === '0') {
    logger.warn('Redis has no maxmemory: writes are not refused before the machine is full.', SEE);
  }
}
