/** The ids by which other processes refer to a span. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** A `traceparent` of W3C Trace Context. */
export interface Traceparent extends SpanContext {
  readonly isSampled: boolean;
}

/** Version 00 only, with its exact length: a header of a client is untrusted. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Undefined when it is invalid; the trace then begins here. */
export function parseTraceparent(header: unknown): Traceparent | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || isZero(traceId) || isZero(spanId)) {
    return undefined;
  }
  return { traceId, spanId, isSampled: (parseInt(flags!, 16) & 1) === 1 };
}

/** Of a span that is sampled; no other span has a context. */
export const printTraceparent = ({ traceId, spanId }: SpanContext): string =>
  `00-${traceId}-${spanId}-01`;

const isZero = (id: string): boolean => /^0+$/.test(id);
