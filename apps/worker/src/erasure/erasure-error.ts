import { HeddleError } from '@app/errors';

/** It cannot be done now; said without a stack. */
export class ErasureError extends HeddleError {
  readonly code = 'erasure_failed';
}
