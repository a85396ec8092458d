import { HeddleError } from '@app/errors';

export type Denial =
  'unauthenticated' | 'unknown_key' | 'session_ended' | 'page_header_missing' | 'forbidden';

/** Why a request was refused. `libs/http` maps the code to a status. */
export class AccessDeniedError extends HeddleError {
  constructor(
    readonly code: Denial,
    message = code as string,
  ) {
    super(message);
  }
}
