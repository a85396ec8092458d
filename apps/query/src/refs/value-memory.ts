import { Inject, Injectable } from '@nestjs/common';
import type { QueryConfig } from '@app/config';
import { ProblemError } from '@app/http';
import type { ReadContext } from '../read-context.js';
import { QUERY_CONFIG } from '../tokens.js';

/** The limit of all responses together, in limits of one. */
const RESPONSES = 4;

type Reading = Pick<ReadContext, 'onClose'>;

/** Bounds the values of refs that are in memory: those of one request, and those of all requests of the process. */
@Injectable()
export class ValueMemory {
  private bytes = 0;
  private readonly bytesOf = new WeakMap<Reading, number>();

  constructor(
    @Inject(QUERY_CONFIG) private readonly config: Pick<QueryConfig, 'maxExpandedBytes'>,
  ) {}

  /** The limits of a statement that reads values. */
  of(reading: Reading): { readonly maxBytes: number; readonly reserve: (bytes: number) => void } {
    const reserve = (bytes: number) => this.reserve(bytes, reading);
    return { maxBytes: this.config.maxExpandedBytes, reserve };
  }

  /**
   * Reserves memory for values until the response is sent. Throws ProblemError when the request has more than it may
   * (413), or all requests together (503).
   */
  private reserve(bytes: number, reading: Reading): void {
    const { maxExpandedBytes } = this.config;
    const before = this.bytesOf.get(reading);
    const own = (before ?? 0) + bytes;
    if (own > maxExpandedBytes) throw tooManyBytes(maxExpandedBytes);
    if (this.bytes + bytes > RESPONSES * maxExpandedBytes) throw new ProblemError('reads_busy');
    this.bytes += bytes;
    this.bytesOf.set(reading, own);
    if (before === undefined) reading.onClose(() => this.release(reading));
  }

  private release(reading: Reading): void {
    this.bytes -= this.bytesOf.get(reading) ?? 0;
    this.bytesOf.set(reading, 0);
  }
}

/** A response would contain more bytes of the values of refs than `QUERY_MAX_EXPANDED_BYTES`. */
export function tooManyBytes(maxBytes: number): ProblemError {
  const reason = `The refs lead to more than ${maxBytes} bytes, the limit of one response; name fewer refs or columns, or page with limit.`;
  return new ProblemError('query_too_large', reason);
}
