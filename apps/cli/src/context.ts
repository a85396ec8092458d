import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { waitForClickHouse } from '@app/clickhouse';
import { readConfig, type Config } from '@app/config';
import { readLocalStores } from '@app/embedded';
import { HeddleError } from '@app/errors';
import { createLogger, logDestination, type Logger } from '@app/observability';
import { waitForRedis, type Redis } from '@app/redis';
import { millis, type Millis } from '@app/wire';

/**
 * The configuration of a command. Where no address of a store is set, it is the one of the standalone process that runs in
 * `DATA_DIR`.
 */
export function commandConfig(): Config {
  const config = readConfig();
  const { redis, clickhouse } = config;
  const isRedisSet = redis.url !== '' || redis.sentinels.length > 0;
  const isClickHouseSet = clickhouse.url !== '';
  if (isRedisSet && isClickHouseSet) return config;
  const local = readLocalStores(config.dataDir);
  return {
    ...config,
    redis: isRedisSet ? redis : { ...redis, ...local?.redis },
    clickhouse: isClickHouseSet ? clickhouse : { ...clickhouse, ...local?.clickhouse },
    // What the server applies, and not what the environment of the command lacks.
    storage: isClickHouseSet ? config.storage : (local?.storage ?? config.storage),
  };
}

/** What an operator can do about a store that cannot be reached. */
const setDataDir = () =>
  ', or set DATA_DIR to the data directory of a server that runs by npm start';

const commandLogger = ({ logLevel, logFormat }: Config): Logger =>
  createLogger('cli', logLevel, logDestination(logFormat));

/** Runs `work` with a connection to Redis. Rejects with a StartupError when Redis does not respond within seconds. */
export function withRedis<T>(
  work: (redis: Redis, config: Config) => Promise<T>,
  config = commandConfig(),
): Promise<T> {
  return waitForRedis(config.redis, commandLogger(config), setDataDir, (redis) =>
    work(redis, config),
  );
}

/** Resolves when ClickHouse responds, and rejects with a StartupError when it does not within seconds. */
export const requireClickHouse = ({ clickhouse }: Config): Promise<void> =>
  waitForClickHouse(clickhouse, setDataDir);

/** Runs `work` with the providers of a module, and closes them afterwards. Rejects at once without Redis or ClickHouse. */
export async function withModule<T>(
  register: (config: Config, logger: Logger) => DynamicModule,
  work: (context: INestApplicationContext) => Promise<T>,
  config = commandConfig(),
): Promise<T> {
  await Promise.all([withRedis(() => Promise.resolve(), config), requireClickHouse(config)]);
  const context = await NestFactory.createApplicationContext(
    register(config, commandLogger(config)),
    { logger: false, abortOnError: false },
  );
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The option of every command that has a result. */
export const JSON_OPTION = ['--json', 'print one JSON document instead of text'] as const;

export interface JsonOption {
  readonly json?: boolean;
}

/** Prints the result of a command: as one JSON document with `--json`, otherwise as lines of text. */
export function report({ json }: JsonOption, result: object, lines: readonly string[]): void {
  if (json) say(JSON.stringify(result));
  else for (const line of lines) say(line);
}

/** On a terminal the line is updated in place; elsewhere it is printed every two seconds. */
export function progressLine(what: string): (done: number, total: number) => void {
  let last = 0;
  return (done, total) => {
    const isTerminal = process.stderr.isTTY;
    const now = Date.now();
    if (!isTerminal && now - last < 2000 && done < total) return;
    last = now;
    const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
    const line = `${what}: ${done} of ${total} (${percent} %)`;
    process.stderr.write(isTerminal ? `\r${line}${done >= total ? '\n' : ''}` : `${line}\n`);
  };
}

/** The value of an option that is an ISO date-time. */
export function timeOption(text: string): Millis {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new UsageError(`${text} is not a date-time such as 2026-03-01T10:00:00Z.`);
  return millis(time);
}

export function positiveOption(text: string, name: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new UsageError(`${name} must be a positive number, not ${text}.`);
  return number;
}

/** An error in the command line. It is printed without a stack. */
export class UsageError extends HeddleError {
  readonly code = 'invalid_usage';
}

/** The user id of the operator in facts and in the audit trail. */
export const operator = (): string => `cli:${userInfo().username}`;

const RUN_ID = randomUUID();

/** Who runs this command, where, for the audit log. All entries of one run have the same id. */
export const operatorOrigin = () => ({
  userId: operator(),
  keyId: 'cli',
  address: hostname(),
  requestId: RUN_ID,
});
