import { HeddleError } from '@app/errors';

/** Redis is unavailable, so nothing can be made durable. */
export class QueueUnavailableError extends HeddleError {
  readonly code = 'queue_unavailable';
}

/** Redis has too little memory left to accept writes. */
export class QueueFullError extends HeddleError {
  readonly code = 'queue_full';
}

/** A disk has too little free space to accept writes. */
export class DiskFullError extends HeddleError {
  readonly code = 'disk_full';
  /** Space is seldom freed within a second. */
  override readonly retryAfterSeconds = 5;
}

/** An error that Redis sent in response to a command. */
export const isRedisError = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ReplyError';

/** Maps an error of Redis. This file is the only place that reads its message. */
export function queueError(error: unknown): HeddleError {
  if (error instanceof HeddleError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const causes = [error, ...previousErrors(error)].map(String);
  const options = { cause: error };
  const misconfigured = causes.find((cause) => cause.includes('MISCONF'));
  if (misconfigured !== undefined) {
    return new DiskFullError(`Redis cannot write to its disk: ${reasonOf(misconfigured)}`, options);
  }
  return causes.some((cause) => /\bOOM\b/.test(cause))
    ? new QueueFullError(message, options)
    : new QueueUnavailableError(message, options);
}

const reasonOf = (text: string): string => text.replace(/^.*MISCONF /s, '');

/** The error of an aborted transaction has no reason; the errors of its refused commands do. */
function previousErrors(error: unknown): readonly unknown[] {
  return (error as { previousErrors?: readonly unknown[] } | undefined)?.previousErrors ?? [];
}

/** Redis does not have a script that it was told to run by its hash: SCRIPT FLUSH, a restart or a fail-over removed it. */
export const isMissingScript = (error: Error): boolean => /\bNOSCRIPT\b/.test(error.message);

/** Redis is a replica, or became one. It has not executed the command. */
export const isReadOnly = (error: Error): boolean => /^READONLY\b/.test(error.message);
