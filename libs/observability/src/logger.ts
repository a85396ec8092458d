import { pino, type DestinationStream, type Logger as Pino } from 'pino';
import { prettyLines } from './pretty-lines.js';
import { standardError } from './standard-error.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Logs a full sentence with structured fields. Payloads and keys are never logged. */
export interface Logger {
  debug(sentence: string, fields?: object): void;
  info(sentence: string, fields?: object): void;
  warn(sentence: string, fields?: object): void;
  error(sentence: string, fields?: object): void;
  /** A child logger with these fields on every line. */
  with(fields: object): Logger;
}

/** Where a process logs: lines of JSON, or text for people, to standard error. Standard output is for the user. */
export const logDestination = (format: 'json' | 'pretty'): DestinationStream =>
  format === 'pretty' ? prettyLines(standardError()) : standardError();

/** Logs one JSON line per message. */
export function createLogger(
  app: string,
  level: LogLevel,
  destination: DestinationStream = standardError(),
): Logger {
  const options = {
    level,
    base: { app },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (name: string) => ({ level: name }) },
  };
  return wrap(pino(options, destination));
}

function wrap(log: Pino): Logger {
  return {
    debug: (sentence, fields = {}) => log.debug(fields, sentence),
    info: (sentence, fields = {}) => log.info(fields, sentence),
    warn: (sentence, fields = {}) => log.warn(fields, sentence),
    error: (sentence, fields = {}) => log.error(fields, sentence),
    with: (fields) => wrap(log.child(fields)),
  };
}
