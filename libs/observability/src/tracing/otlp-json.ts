import type { Span, SpanAttribute, SpanKind } from './span.js';

const KINDS: Readonly<Record<SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
};
const STATUS_ERROR = 2;

type Attributes = Iterable<readonly [string, SpanAttribute]>;

/** The body of a request that exports spans: OTLP as JSON. */
export function otlpBody(resource: Readonly<Record<string, string>>, spans: readonly Span[]) {
  const attributes = attributeList(Object.entries(resource));
  const scope = { name: 'heddle', version: resource['service.version'] };
  return {
    resourceSpans: [
      { resource: { attributes }, scopeSpans: [{ scope, spans: spans.map(otlpSpan) }] },
    ],
  };
}

function otlpSpan(span: Span) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanos(span.startMicros),
    endTimeUnixNano: nanos(span.endMicros),
    attributes: attributeList(span.attributes),
    ...(span.links.length > 0 && { links: span.links }),
    ...(span.error !== undefined && { status: { code: STATUS_ERROR, message: span.error } }),
  };
}

const nanos = (micros: number): string => `${micros}000`;

const attributeList = (attributes: Attributes) =>
  [...attributes].map(([key, value]) => ({ key, value: otlpValue(value) }));

function otlpValue(value: SpanAttribute) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
