import type { Attributes, AttributeValue, Span, SpanGroup } from './span.js';

export type Made = Pick<SpanGroup, 'resource' | 'scope'>;

/** The whole span, readable, with what made it. */
export function dumpOf(span: Span, { resource, scope }: Made): AttributeValue {
  const { traceId, spanId, traceState, status } = span;
  return new Map<string, AttributeValue>([
    ['name', span.name],
    ['context', object({ trace_id: traceId, span_id: spanId, trace_state: traceState })],
    ['parent_id', span.parentSpanId || null],
    ['kind', span.kind],
    ['start_time', span.startNanos],
    ['end_time', span.endNanos],
    ['status', object(status)],
    ['attributes', span.attributes],
    [
      'events',
      span.events.map(({ name, nanos, attributes }) =>
        object({ name, timestamp: nanos, attributes }),
      ),
    ],
    [
      'links',
      span.links.map((link) =>
        object({ trace_id: link.traceId, span_id: link.spanId, attributes: link.attributes }),
      ),
    ],
    ['resource', object({ attributes: resource })],
    ['scope', object(scope)],
  ]);
}

const object = (members: Readonly<Record<string, AttributeValue>>): Attributes =>
  new Map(Object.entries(members));
