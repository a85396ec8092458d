import { AttributeTree } from './attribute-tree.js';
import {
  SpanError,
  type Attributes,
  type AttributeValue,
  type Span,
  type SpanGroup,
} from './span.js';

export type Made = Pick<SpanGroup, 'resource' | 'scope'>;

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUS_CODES = ['UNSET', 'OK', 'ERROR'];

/** The whole span, readable, with what made it. Attributes are nested as their dotted names describe. */
export function dumpOf(span: Span, { resource, scope }: Made): AttributeValue {
  const { traceId, spanId, traceState, status } = span;
  return new Map<string, AttributeValue>([
    ['name', span.name],
    ['context', object({ trace_id: traceId, span_id: spanId, trace_state: traceState })],
    ['parent_id', span.parentSpanId || null],
    ['kind', KINDS[span.kind] ?? span.kind],
    ['start_time', span.startNanos],
    ['end_time', span.endNanos],
    ['status', object({ ...status, code: STATUS_CODES[status.code] ?? status.code })],
    ['attributes', nested(span.attributes)],
    [
      'events',
      span.events.map(({ name, nanos, attributes }) =>
        object({ name, timestamp: nanos, attributes: nested(attributes) }),
      ),
    ],
    [
      'links',
      span.links.map((link) =>
        object({
          trace_id: link.traceId,
          span_id: link.spanId,
          attributes: nested(link.attributes),
        }),
      ),
    ],
    ['resource', object({ attributes: nested(resource) })],
    ['scope', object(scope)],
  ]);
}

const object = (members: Readonly<Record<string, AttributeValue>>): Attributes =>
  new Map(Object.entries(members));

/** Names that are too deep for a tree stay as they are: only those of the span itself are a reason to reject it. */
function nested(attributes: Attributes): AttributeValue {
  try {
    return new AttributeTree(attributes).everything();
  } catch (error) {
    if (error instanceof SpanError) return attributes;
    throw error;
  }
}
