import {
  bytesOf,
  doubleOf,
  int64Of,
  ProtobufReader,
  textOf,
  uintOf,
  type FieldValue,
} from './protobuf.js';
import type { Attributes, AttributeValue, Span, SpanEvent, SpanGroup, SpanLink } from './span.js';

/** The spans of an ExportTraceServiceRequest in protobuf; a ProtobufError when it is none. */
export function spansOfProtobuf(body: Buffer): SpanGroup[] {
  return new TraceDecoder().request(body);
}

class TraceDecoder {
  private readonly reader = new ProtobufReader();

  request(body: Buffer): SpanGroup[] {
    const groups: SpanGroup[] = [];
    this.reader.walk(body, (field, value) => {
      if (field === 1) groups.push(...this.resourceSpans(value));
    });
    return groups;
  }

  private resourceSpans(message: FieldValue): SpanGroup[] {
    let resource: Attributes = new Map();
    const scopes: Omit<SpanGroup, 'resource'>[] = [];
    this.reader.walk(message, (field, value) => {
      if (field === 1) resource = this.attributesIn(value, 1);
      if (field === 2) scopes.push(this.scopeSpans(value));
    });
    return scopes.map((group) => ({ resource, ...group }));
  }

  private scopeSpans(message: FieldValue): Omit<SpanGroup, 'resource'> {
    const scope = { name: '', version: '' };
    const spans: Span[] = [];
    this.reader.walk(message, (field, value) => {
      if (field === 2) spans.push(this.span(value));
      if (field !== 1) return;
      this.reader.walk(value, (part, text) => {
        if (part === 1) scope.name = textOf(text);
        if (part === 2) scope.version = textOf(text);
      });
    });
    return { scope, spans };
  }

  private span(message: FieldValue): Span {
    const attributes = new Map<string, AttributeValue>();
    const events: SpanEvent[] = [];
    const links: SpanLink[] = [];
    const status = { code: 0, message: '' };
    const span = {
      traceId: '',
      spanId: '',
      parentSpanId: '',
      traceState: '',
      name: '',
      kind: 0,
      startNanos: 0n,
      endNanos: 0n,
    };
    const take: Record<number, (value: FieldValue) => void> = {
      1: (value) => (span.traceId = hex(value)),
      2: (value) => (span.spanId = hex(value)),
      3: (value) => (span.traceState = textOf(value)),
      4: (value) => (span.parentSpanId = hex(value)),
      5: (value) => (span.name = textOf(value)),
      6: (value) => (span.kind = Number(uintOf(value))),
      7: (value) => (span.startNanos = uintOf(value)),
      8: (value) => (span.endNanos = uintOf(value)),
      9: (value) => this.keyValue(value, attributes),
      11: (value) => events.push(this.event(value)),
      13: (value) => links.push(this.link(value)),
      15: (value) => {
        this.reader.walk(value, (field, part) => {
          if (field === 2) status.message = textOf(part);
          if (field === 3) status.code = Number(uintOf(part));
        });
      },
    };
    this.reader.walk(message, (field, value) => take[field]?.(value));
    return { ...span, attributes, events, links, status };
  }

  private event(message: FieldValue): SpanEvent {
    const event = { name: '', nanos: 0n };
    this.reader.walk(message, (field, value) => {
      if (field === 1) event.nanos = uintOf(value);
      if (field === 2) event.name = textOf(value);
    });
    return { ...event, attributes: this.attributesIn(message, 3) };
  }

  private link(message: FieldValue): SpanLink {
    const link = { traceId: '', spanId: '' };
    this.reader.walk(message, (field, value) => {
      if (field === 1) link.traceId = hex(value);
      if (field === 2) link.spanId = hex(value);
    });
    return { ...link, attributes: this.attributesIn(message, 4) };
  }

  /** The key-values that repeat under one field of a message. */
  private attributesIn(message: FieldValue, wanted: number): Attributes {
    const attributes = new Map<string, AttributeValue>();
    this.reader.walk(message, (field, value) => {
      if (field === wanted) this.keyValue(value, attributes);
    });
    return attributes;
  }

  private keyValue(message: FieldValue, into: Map<string, AttributeValue>): void {
    let key = '';
    let held: AttributeValue = null;
    this.reader.walk(message, (field, value) => {
      if (field === 1) key = textOf(value);
      if (field === 2) held = this.anyValue(value);
    });
    into.set(key, held);
  }

  private anyValue(message: FieldValue): AttributeValue {
    let held: AttributeValue = null;
    this.reader.walk(message, (field, value) => {
      if (field === 1) held = textOf(value);
      if (field === 2) held = uintOf(value) !== 0n;
      if (field === 3) held = int64Of(value);
      if (field === 4) held = doubleOf(value);
      if (field === 5) held = this.array(value);
      if (field === 6) held = this.attributesIn(value, 1);
      if (field === 7) held = bytesOf(value).toString('base64');
    });
    return held;
  }

  private array(message: FieldValue): AttributeValue[] {
    const values: AttributeValue[] = [];
    this.reader.walk(message, (field, value) => {
      if (field === 1) values.push(this.anyValue(value));
    });
    return values;
  }
}

const hex = (value: FieldValue): string => bytesOf(value).toString('hex');
