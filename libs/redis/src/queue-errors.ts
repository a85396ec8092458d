import { HeddleError } from '@app/errors';

/** Redis cannot be reached, so nothing can be made durable. */
export class QueueUnavailableError extends HeddleError {
  readonly code = 'queue_unavailable';
}

/** Redis is so full that taking more could wedge it. */
export class QueueFullError extends HeddleError {
  readonly code = 'queue_full';
}

/** The only place that looks at what Redis says when it refuses. */
export function queueError(error: unknown): QueueUnavailableError | QueueFullError {
  const message = error instanceof Error ? error.message : String(error);
  const isFull = [error, ...previousErrors(error)].some((one) =>
    /\bOOM\b|MISCONF/.test(String(one)),
  );
  return isFull
    ? new QueueFullError(message, { cause: error })
    : new QueueUnavailableError(message, { cause: error });
}

/** An aborted transaction says only that it was; the reasons are with the commands that Redis would not queue. */
function previousErrors(error: unknown): readonly unknown[] {
  return (error as { previousErrors?: readonly unknown[] } | undefined)?.previousErrors ?? [];
}
