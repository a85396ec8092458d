import { HeddleError, type ErrorCode } from '@app/errors';
import { isRedisError, queueError } from '@app/redis';

/** Errors with these codes have a sentence for the operator; every other error is printed with its stack. */
const FOR_OPERATORS: ReadonlySet<ErrorCode> = new Set([
  'startup_failed',
  'migration_refused',
  'invalid_usage',
  'storage_unavailable',
  'storage_refused',
  'queue_unavailable',
  'queue_not_durable',
  'write_unconfirmed',
  'queue_full',
  'disk_full',
  'rate_limited',
  'erasure_failed',
  'backup_failed',
  'rebuild_shrinks',
  'rewrite_running',
  'lock_lost',
]);

/** What a command prints when it fails. */
export function operatorText(error: unknown): string {
  // A command uses Redis for locks and watermarks, too, which may be full, read-only or loading like for any client.
  const known = isRedisError(error) ? queueError(error) : error;
  if (known instanceof HeddleError && FOR_OPERATORS.has(known.code)) return known.message;
  return (known as Error).stack ?? String(known);
}
