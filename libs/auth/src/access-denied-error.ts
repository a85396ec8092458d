import { HeddleError } from '@app/errors';

export type Denial = 'unauthenticated' | 'unknown_key' | 'forbidden';

/** Why a request was turned away; the http room gives it its status. */
export class AccessDeniedError extends HeddleError {
  constructor(
    readonly code: Denial,
    message = code as string,
  ) {
    super(message);
  }
}
