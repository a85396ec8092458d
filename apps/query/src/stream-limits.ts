import { ProblemError } from '@app/http';
import type { QueryConfig } from '@app/config';
import type { ReadContext } from './read-context.js';

type Limits = Pick<QueryConfig, 'maxStreamRows' | 'maxStreamBytes' | 'adminFactor'>;

/** A part of a stream: rows, or bytes in an output format. */
type Part = readonly unknown[] | Buffer;

/** Counts the rows and bytes of each response that is sent while it is read, over all of its statements. */
export class StreamLimits {
  private readonly sent = new WeakMap<ReadContext, { rows: number; bytes: number }>();

  constructor(private readonly limits: Limits) {}

  /** Passes the parts on. Rejects at the part that exceeds a limit. */
  async *apply<Item extends Part>(
    parts: AsyncGenerator<Item, void>,
    context: ReadContext,
    sizeOf: (part: Item) => number,
  ): AsyncGenerator<Item, void> {
    for await (const part of parts) {
      this.count(part, sizeOf, context);
      yield part;
    }
  }

  private count<Item extends Part>(
    part: Item,
    sizeOf: (part: Item) => number,
    context: ReadContext,
  ): void {
    const { maxStreamRows, maxStreamBytes, adminFactor } = this.limits;
    if (maxStreamRows === 0 && maxStreamBytes === 0) return;
    const sent = this.sent.get(context) ?? { rows: 0, bytes: 0 };
    this.sent.set(context, sent);
    sent.rows += Buffer.isBuffer(part) ? 0 : part.length;
    sent.bytes += sizeOf(part);
    const factor = context.principal.role === 'admin' ? adminFactor : 1;
    if (maxStreamRows > 0 && sent.rows > factor * maxStreamRows)
      throw tooLong(`${factor * maxStreamRows} rows`);
    if (maxStreamBytes > 0 && sent.bytes > factor * maxStreamBytes)
      throw tooLong(`${factor * maxStreamBytes} bytes`);
  }
}

function tooLong(limit: string): ProblemError {
  const reason = `The response has more than ${limit}, the limit of one stream; page with limit, or select fewer columns.`;
  return new ProblemError('query_too_large', reason);
}
