import { userInfo } from 'node:os';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readConfig, type Config } from '@app/config';
import { HeddleError } from '@app/errors';
import { createLogger, type Logger } from '@app/observability';
import { millis, type Millis } from '@app/wire';

/** Runs `work` with the providers of a module, and closes them afterwards. */
export async function withModule<T>(
  register: (config: Config, logger: Logger) => DynamicModule,
  work: (context: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const config = readConfig();
  const logger = createLogger('cli', config.logLevel);
  const context = await NestFactory.createApplicationContext(register(config, logger), {
    logger: false,
    abortOnError: false,
  });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

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
