import protobuf from 'protobufjs/light.js';

const field = (type: string, id: number) => ({ type, id });
const repeated = (type: string, id: number) => ({ rule: 'repeated', type, id });

/** OTLP's messages for traces (opentelemetry-proto, trace v1), with the fields that a call is made from; others are skipped. */
const MESSAGES = {
  ExportTraceServiceRequest: { fields: { resourceSpans: repeated('ResourceSpans', 1) } },
  ResourceSpans: {
    fields: { resource: field('Resource', 1), scopeSpans: repeated('ScopeSpans', 2) },
  },
  Resource: { fields: { attributes: repeated('KeyValue', 1) } },
  ScopeSpans: { fields: { scope: field('InstrumentationScope', 1), spans: repeated('Span', 2) } },
  InstrumentationScope: { fields: { name: field('string', 1), version: field('string', 2) } },
  Span: {
    fields: {
      traceId: field('bytes', 1),
      spanId: field('bytes', 2),
      traceState: field('string', 3),
      parentSpanId: field('bytes', 4),
      name: field('string', 5),
      kind: field('int32', 6),
      startTimeUnixNano: field('fixed64', 7),
      endTimeUnixNano: field('fixed64', 8),
      attributes: repeated('KeyValue', 9),
      events: repeated('Event', 11),
      links: repeated('Link', 13),
      status: field('Status', 15),
    },
  },
  Event: {
    fields: {
      timeUnixNano: field('fixed64', 1),
      name: field('string', 2),
      attributes: repeated('KeyValue', 3),
    },
  },
  Link: {
    fields: {
      traceId: field('bytes', 1),
      spanId: field('bytes', 2),
      attributes: repeated('KeyValue', 4),
    },
  },
  Status: { fields: { message: field('string', 2), code: field('int32', 3) } },
  KeyValue: { fields: { key: field('string', 1), value: field('AnyValue', 2) } },
  AnyValue: {
    // Members of a oneof are present also when they are zero, false or empty.
    oneofs: {
      value: {
        oneof: [
          'stringValue',
          'boolValue',
          'intValue',
          'doubleValue',
          'arrayValue',
          'kvlistValue',
          'bytesValue',
        ],
      },
    },
    fields: {
      stringValue: field('string', 1),
      boolValue: field('bool', 2),
      intValue: field('int64', 3),
      doubleValue: field('double', 4),
      arrayValue: field('ArrayValue', 5),
      kvlistValue: field('KeyValueList', 6),
      bytesValue: field('bytes', 7),
    },
  },
  ArrayValue: { fields: { values: repeated('AnyValue', 1) } },
  KeyValueList: { fields: { values: repeated('KeyValue', 1) } },
  ExportTraceServiceResponse: { fields: { partialSuccess: field('ExportTracePartialSuccess', 1) } },
  ExportTracePartialSuccess: {
    fields: { rejectedSpans: field('int64', 1), errorMessage: field('string', 2) },
  },
} satisfies NonNullable<protobuf.INamespace['nested']>;

export type MessageName = keyof typeof MESSAGES;

/**
 * The fields of a message, as decoded from protobuf or parsed from JSON. Both use these names; the types of ids, integers
 * and bytes differ, and a client may send any JSON, so the reader has to check each value.
 */
export type MessageFields<Name extends MessageName> = {
  readonly [Field in keyof (typeof MESSAGES)[Name]['fields']]?: unknown;
};

const root = protobuf.Root.fromJSON({ nested: MESSAGES });

export const traceRequest = root.lookupType('ExportTraceServiceRequest');
export const traceResponse = root.lookupType('ExportTraceServiceResponse');
