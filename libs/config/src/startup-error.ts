import { HeddleError } from '@app/errors';

/** A process cannot start. The message names the fix and is printed without a stack trace. */
export class StartupError extends HeddleError {
  readonly code = 'startup_failed';
}
