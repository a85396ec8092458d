export type Denial = 'unauthenticated' | 'unknown_key' | 'forbidden';

/** Why a request was turned away; the http room gives it its status. */
export class AccessDeniedError extends Error {
  override readonly name = 'AccessDeniedError';
  constructor(
    readonly denial: Denial,
    message = denial as string,
  ) {
    super(message);
  }
}
