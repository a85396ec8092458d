import { HeddleError } from '@app/errors';
import type { JsonText } from '@app/wire';

/** The value of an attribute. Long integers are exact; what came as JSON inside a text keeps its text. */
export type AttributeValue =
  string | number | bigint | boolean | null | JsonText | readonly AttributeValue[] | Attributes;

export type Attributes = ReadonlyMap<string, AttributeValue>;

/** A span of OpenTelemetry, whichever way it was encoded. Ids are lower-case hex. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  /** Since 1970. */
  readonly startNanos: bigint;
  /** Zero for a span that has not ended. */
  readonly endNanos: bigint;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly status: { readonly code: number; readonly message: string };
}

export interface SpanEvent {
  readonly name: string;
  readonly nanos: bigint;
  readonly attributes: Attributes;
}

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Attributes;
}

/** What made the spans, and the spans; one that cannot be read stands as the reason why. */
export interface SpanGroup {
  readonly resource: Attributes;
  readonly scope: { readonly name: string; readonly version: string };
  readonly spans: readonly (Span | SpanError)[];
}

/** Why a span cannot become a call. The others of its request can. */
export class SpanError extends HeddleError {
  readonly code = 'invalid_span';
}
