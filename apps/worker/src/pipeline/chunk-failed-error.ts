import { HeddleError, messageOf } from '@app/errors';

/** More would make a line of the log too long. */
const REQUESTS_MAX = 10;

/** What is known of the request that a fact came with. Facts of keys that only add, and of older versions, have none. */
interface FromRequest {
  readonly origin?: { readonly requestId: string };
}

/** A chunk could not be stored. Names the requests whose facts it contains, for the log. */
export class ChunkFailedError extends HeddleError {
  readonly code = 'chunk_failed';
  readonly requestIds: readonly string[];

  constructor(facts: readonly unknown[], cause: unknown) {
    super(messageOf(cause), { cause });
    const ids = (facts as readonly FromRequest[]).flatMap(({ origin }) => origin?.requestId ?? []);
    this.requestIds = [...new Set(ids)].slice(0, REQUESTS_MAX);
  }
}
