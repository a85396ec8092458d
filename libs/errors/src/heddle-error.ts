import type { ErrorCode } from './error-code.js';

/** A path inside the request, such as `['query', '$expr', '$and', 0]`. */
export type Place = readonly (string | number)[];

/** The base of every error that this project throws on purpose. Programs compare its `code`, never its name or text. */
export abstract class HeddleError extends Error {
  abstract readonly code: ErrorCode;
  /** The invalid part of the request; undefined when the error does not concern one part. */
  readonly at: Place | undefined;
  /** For codes whose response has a `Retry-After` header. */
  readonly retryAfterSeconds: number = 1;

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
