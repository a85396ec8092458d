import protobuf from 'protobufjs/light.js';
import { InvalidBodyError } from '@app/http';
import { decodeTraceRequest } from './otlp-protobuf.js';
import type { MessageFields, MessageName } from './otlp.schema.js';
import {
  SpanError,
  type Attributes,
  type AttributeValue,
  type Span,
  type SpanEvent,
  type SpanGroup,
  type SpanLink,
} from './span.js';

/** The spans of an ExportTraceServiceRequest in protobuf. Throws a ProtobufError for any other bytes. */
export function spansOfProtobuf(body: Buffer): SpanGroup[] {
  const { resourceSpans } = messageAt<'ExportTraceServiceRequest'>(decodeTraceRequest(body));
  return groupsOf(listAt(resourceSpans));
}

/** The spans of an ExportTraceServiceRequest in parsed JSON. Throws an InvalidBodyError for any other value. */
export function spansOfJson(body: unknown): SpanGroup[] {
  const { resourceSpans } = messageAt<'ExportTraceServiceRequest'>(body);
  if (!Array.isArray(resourceSpans)) {
    const loc = ['body', 'resourceSpans'];
    throw new InvalidBodyError([{ loc, msg: 'must be a list', type: 'list_type' }]);
  }
  return groupsOf(resourceSpans);
}

const groupsOf = (resourceSpans: readonly unknown[]): SpanGroup[] =>
  resourceSpans.flatMap((entry) => {
    const { resource, scopeSpans } = messageAt<'ResourceSpans'>(entry);
    const attributes = attributesOf(messageAt<'Resource'>(resource).attributes);
    return listAt(scopeSpans).map((scoped) => groupOf(scoped, attributes));
  });

function groupOf(scopeSpans: unknown, resource: Attributes): SpanGroup {
  const { scope, spans } = messageAt<'ScopeSpans'>(scopeSpans);
  const { name, version } = messageAt<'InstrumentationScope'>(scope);
  return {
    resource,
    scope: { name: textAt(name), version: textAt(version) },
    spans: listAt(spans).map((span) => readable(() => spanOf(span))),
  };
}

function readable(read: () => Span): Span | SpanError {
  try {
    return read();
  } catch (error) {
    if (error instanceof SpanError) return error;
    throw error;
  }
}

function spanOf(message: unknown): Span {
  const span = messageAt<'Span'>(message);
  const status = messageAt<'Status'>(span.status);
  return {
    traceId: idAt(span.traceId),
    spanId: idAt(span.spanId),
    parentSpanId: idAt(span.parentSpanId),
    traceState: textAt(span.traceState),
    name: textAt(span.name),
    kind: enumAt(span.kind, SPAN_KINDS),
    startNanos: nanosAt(span.startTimeUnixNano),
    endNanos: nanosAt(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    events: listAt(span.events).map(eventOf),
    links: listAt(span.links).map(linkOf),
    status: { code: enumAt(status.code, STATUS_CODES), message: textAt(status.message) },
  };
}

function eventOf(message: unknown): SpanEvent {
  const { name, timeUnixNano, attributes } = messageAt<'Event'>(message);
  return {
    name: textAt(name),
    nanos: nanosAt(timeUnixNano),
    attributes: attributesOf(attributes),
  };
}

function linkOf(message: unknown): SpanLink {
  const { traceId, spanId, attributes } = messageAt<'Link'>(message);
  return { traceId: idAt(traceId), spanId: idAt(spanId), attributes: attributesOf(attributes) };
}

/** Numbers on the wire; JSON may also have their names. */
const SPAN_KINDS = 'SPAN_KIND_UNSPECIFIED INTERNAL SERVER CLIENT PRODUCER CONSUMER'.split(' ');
const STATUS_CODES = 'STATUS_CODE_UNSET OK ERROR'.split(' ');

function enumAt(value: unknown, names: readonly string[]): number {
  if (typeof value === 'number') return value;
  return Math.max(
    0,
    names.findIndex((name) => typeof value === 'string' && value.endsWith(name)),
  );
}

function attributesOf(list: unknown): Attributes {
  const pairs = listAt(list).map(messageAt<'KeyValue'>);
  return new Map(pairs.map(({ key, value }) => [textAt(key), anyValue(value)]));
}

function anyValue(message: unknown): AttributeValue {
  // A decoded message inherits defaults for the members that it lacks; the copy has only its own.
  const value = { ...messageAt<'AnyValue'>(message) };
  if (typeof value.stringValue === 'string') return value.stringValue;
  if (typeof value.boolValue === 'boolean') return value.boolValue;
  if (value.intValue !== undefined) return integerAt(value.intValue);
  if (value.doubleValue !== undefined) return doubleAt(value.doubleValue);
  if (typeof value.bytesValue === 'string') return value.bytesValue;
  if (Buffer.isBuffer(value.bytesValue)) return value.bytesValue.toString('base64');
  if (value.arrayValue !== undefined) {
    return listAt(messageAt<'ArrayValue'>(value.arrayValue).values).map(anyValue);
  }
  if (value.kvlistValue !== undefined) {
    return attributesOf(messageAt<'KeyValueList'>(value.kvlistValue).values);
  }
  return null;
}

/** A value that is not an object has none of the fields. */
const messageAt = <Name extends MessageName>(value: unknown): MessageFields<Name> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};

const listAt = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textAt = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Bytes in protobuf, hex in JSON. */
const idAt = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString('hex') : textAt(value).toLowerCase();

const nanosAt = (value: unknown): bigint => BigInt.asUintN(64, integerAt(value ?? '0'));

/** Infinity and NaN come as text in JSON. Converting an object could throw. */
const doubleAt = (value: unknown): number =>
  value !== null && typeof value === 'object' ? NaN : Number(value);

/** In JSON, 64-bit integers come as text, since JavaScript's numbers do not hold them. */
function integerAt(value: unknown): bigint {
  if (value instanceof protobuf.util.Long) return bigintOf(value);
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  throw new SpanError(`${(JSON.stringify(value) ?? 'nothing').slice(0, 40)} is not an integer`);
}

/** Reads 64 bits as a signed integer; `nanosAt` makes it unsigned. */
const bigintOf = ({ low, high }: protobuf.Long): bigint =>
  (BigInt(high) << 32n) | BigInt(low >>> 0);
