import { InvalidBodyError } from '@app/http';
import {
  SpanProblem,
  type Attributes,
  type AttributeValue,
  type Span,
  type SpanGroup,
} from './span.js';

type Json = Readonly<Record<string, unknown>>;

/** The spans of an ExportTraceServiceRequest in JSON, already parsed; an InvalidBodyError when it is none. */
export function spansOfJson(body: unknown): SpanGroup[] {
  const { resourceSpans } = objectAt(body);
  if (!Array.isArray(resourceSpans)) {
    const loc = ['body', 'resourceSpans'];
    throw new InvalidBodyError([{ loc, msg: 'must be a list', type: 'list_type' }]);
  }
  return resourceSpans.flatMap((entry) => {
    const { resource, scopeSpans } = objectAt(entry);
    const attributes = attributesOf(objectAt(resource)['attributes']);
    return listAt(scopeSpans).map((scoped) => groupOf(objectAt(scoped), attributes));
  });
}

function groupOf({ scope, spans }: Json, resource: Attributes): SpanGroup {
  const { name, version } = objectAt(scope);
  return {
    resource,
    scope: { name: textAt(name), version: textAt(version) },
    spans: listAt(spans).map((span) => readable(() => spanOf(objectAt(span)))),
  };
}

function readable(read: () => Span): Span | SpanProblem {
  try {
    return read();
  } catch (error) {
    if (error instanceof SpanProblem) return error;
    throw error;
  }
}

function spanOf(span: Json): Span {
  const { code, message } = objectAt(span['status']);
  return {
    traceId: idAt(span['traceId']),
    spanId: idAt(span['spanId']),
    parentSpanId: idAt(span['parentSpanId']),
    traceState: textAt(span['traceState']),
    name: textAt(span['name']),
    kind: enumAt(span['kind'], SPAN_KINDS),
    startNanos: nanosAt(span['startTimeUnixNano']),
    endNanos: nanosAt(span['endTimeUnixNano']),
    attributes: attributesOf(span['attributes']),
    events: listAt(span['events'])
      .map(objectAt)
      .map((event) => ({
        name: textAt(event['name']),
        nanos: nanosAt(event['timeUnixNano']),
        attributes: attributesOf(event['attributes']),
      })),
    links: listAt(span['links'])
      .map(objectAt)
      .map((link) => ({
        traceId: idAt(link['traceId']),
        spanId: idAt(link['spanId']),
        attributes: attributesOf(link['attributes']),
      })),
    status: { code: enumAt(code, STATUS_CODES), message: textAt(message) },
  };
}

/** Numbers on the wire; their names are allowed too. */
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
  const pairs = listAt(list).map(objectAt);
  return new Map(pairs.map(({ key, value }) => [textAt(key), anyValue(objectAt(value))]));
}

function anyValue(value: Json): AttributeValue {
  if (typeof value['stringValue'] === 'string') return value['stringValue'];
  if (typeof value['boolValue'] === 'boolean') return value['boolValue'];
  if (value['intValue'] !== undefined) return integerAt(value['intValue']);
  if (value['doubleValue'] !== undefined) return Number(value['doubleValue']);
  if (typeof value['bytesValue'] === 'string') return value['bytesValue'];
  if (value['arrayValue'] !== undefined) {
    return listAt(objectAt(value['arrayValue'])['values']).map((one) => anyValue(objectAt(one)));
  }
  if (value['kvlistValue'] !== undefined) {
    return attributesOf(objectAt(value['kvlistValue'])['values']);
  }
  return null;
}

const objectAt = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};

const listAt = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textAt = (value: unknown): string => (typeof value === 'string' ? value : '');

const idAt = (value: unknown): string => textAt(value).toLowerCase();

const nanosAt = (value: unknown): bigint => BigInt.asUintN(64, integerAt(value ?? '0'));

/** 64-bit integers come as text, since JavaScript's numbers do not hold them. */
function integerAt(value: unknown): bigint {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  throw new SpanProblem(`${(JSON.stringify(value) ?? 'nothing').slice(0, 40)} is no integer`);
}
