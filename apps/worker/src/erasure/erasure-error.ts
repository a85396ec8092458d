import { HeddleError } from '@app/errors';

/** The erasure cannot be done now, or is incomplete. */
export class ErasureError extends HeddleError {
  readonly code = 'erasure_failed';
}
