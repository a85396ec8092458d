import fc from 'fast-check';
import protobuf from 'protobufjs/light.js';
import { aSpan } from '../../../../test/support/records.js';
import { ProtobufError } from './otlp-protobuf.js';
import { spansOfJson, spansOfProtobuf } from './otlp-spans.js';
import { traceRequest } from './otlp.schema.js';
import { SpanError, type Span } from './span.js';

/** A field of bytes: a text, a message or anything else with a length. */
const bytesField = (field: number, value: Uint8Array | string): Buffer =>
  Buffer.from(
    new protobuf.Writer()
      .uint32((field << 3) | 2)
      .bytes(Buffer.from(value))
      .finish(),
  );

const varintField = (field: number, value: number): Buffer =>
  Buffer.from(
    new protobuf.Writer()
      .uint32(field << 3)
      .uint32(value)
      .finish(),
  );

/** A request with one span of these bytes. */
const requestOf = (span: Buffer): Buffer =>
  [2, 2, 1].reduce((inner, field) => bytesField(field, inner), span);

function onlySpan(body: Buffer): Span {
  const [span] = spansOfProtobuf(body).flatMap((group) => group.spans);
  if (span === undefined || span instanceof SpanError) throw new Error('There is no span.');
  return span;
}

const { anyValue } = fc.letrec((tie) => ({
  anyValue: fc.oneof(
    { depthSize: 'small' },
    fc.constant({}),
    fc.record({ stringValue: fc.string({ unit: 'binary' }) }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ intValue: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String) }),
    fc.record({ doubleValue: fc.double() }),
    fc.record({
      bytesValue: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
    }),
    fc.record({ arrayValue: fc.record({ values: fc.array(tie('anyValue'), { maxLength: 3 }) }) }),
    fc.record({ kvlistValue: fc.record({ values: fc.array(tie('keyValue'), { maxLength: 3 }) }) }),
  ),
  keyValue: fc.record({ key: fc.string({ unit: 'binary' }), value: tie('anyValue') }),
}));

const attributes = fc.array(fc.record({ key: fc.string(), value: anyValue }), { maxLength: 3 });
const nanos = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const spanId = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((id) => Buffer.from(id));

/** Spans as protobufjs takes them: ids as bytes, everything else as in JSON. */
const spans = fc.array(
  fc.record({
    traceId: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((id) => Buffer.from(id)),
    spanId,
    parentSpanId: fc.oneof(spanId, fc.constant(Buffer.alloc(0))),
    traceState: fc.string(),
    name: fc.string({ unit: 'binary' }),
    kind: fc.integer({ min: 0, max: 5 }),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    events: fc.array(fc.record({ name: fc.string(), timeUnixNano: nanos, attributes }), {
      maxLength: 2,
    }),
    links: fc.array(fc.record({ spanId, attributes }), { maxLength: 2 }),
    status: fc.record({ code: fc.integer({ min: 0, max: 2 }), message: fc.string() }),
  }),
  { maxLength: 2 },
);

const requests = fc
  .record({ attributes, scope: fc.record({ name: fc.string(), version: fc.string() }), spans })
  .map(({ attributes: resource, scope, spans: list }) => ({
    resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans: list }] }],
  }));

const encoded = (request: object): Buffer =>
  Buffer.from(traceRequest.encode(traceRequest.fromObject(request)).finish());

const withHexIds = (value: unknown): unknown => {
  if (Buffer.isBuffer(value)) return value.toString('hex').toUpperCase();
  if (Array.isArray(value)) return value.map(withHexIds);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withHexIds(member)]),
  );
};

/** Reads the bytes; whatever is thrown must be a ProtobufError. */
function expectSpansOrError(bytes: Uint8Array): void {
  try {
    spansOfProtobuf(Buffer.from(bytes));
  } catch (error) {
    expect(error).toBeInstanceOf(ProtobufError);
  }
}

describe('spans in protobuf', () => {
  it('are the same as in JSON', () => {
    fc.assert(
      fc.property(requests, (request) => {
        expect(spansOfProtobuf(encoded(request))).toEqual(spansOfJson(withHexIds(request)));
      }),
    );
  });

  it('are read from any bytes, or refused with a ProtobufError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => expectSpansOrError(bytes)),
      { numRuns: 500 },
    );
  });

  it('are read or refused wherever a message is cut off', () => {
    fc.assert(
      fc.property(requests, fc.nat(), (request, at) => {
        const bytes = encoded(request);
        expectSpansOrError(bytes.subarray(0, at % (bytes.length + 1)));
      }),
      { numRuns: 500 },
    );
  });

  it('are read or refused whichever byte of a message is wrong', () => {
    fc.assert(
      fc.property(requests, fc.nat(), fc.nat(255), (request, at, byte) => {
        const bytes = encoded(request);
        bytes[at % bytes.length] = byte;
        expectSpansOrError(bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('keep 64-bit integers exact', () => {
    const span = aSpan({
      traceId: Buffer.alloc(16, 1),
      spanId: Buffer.alloc(8, 1),
      startTimeUnixNano: '18446744073709551615',
      attributes: ['9223372036854775807', '-9223372036854775808', '-1', '0'].map((intValue) => ({
        key: intValue,
        value: { intValue },
      })),
    });
    const { startNanos, attributes: read } = onlySpan(
      encoded({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
    );

    expect(startNanos).toBe(2n ** 64n - 1n);
    expect([...read.values()]).toEqual([2n ** 63n - 1n, -(2n ** 63n), -1n, 0n]);
  });

  it('have a replacement character for bytes that are not UTF-8', () => {
    const name = Buffer.from([0x61, 0xff, 0x62]);

    expect(onlySpan(requestOf(bytesField(5, name))).name).toBe('a\uFFFDb');
  });

  it('may have unknown fields of every wire type', () => {
    const group = Buffer.from([0xf3, 0x07, 0x08, 0x01, 0xf4, 0x07]);
    const fixed = Buffer.from([0xf1, 0x07, ...Buffer.alloc(8), 0xf5, 0x07, ...Buffer.alloc(4)]);
    const unknown = [varintField(126, 7), fixed, bytesField(126, 'text'), group];

    const span = onlySpan(
      requestOf(Buffer.concat([...unknown, bytesField(5, 'name'), ...unknown])),
    );

    expect(span.name).toBe('name');
  });
});

describe('a request in protobuf', () => {
  /** A list in a list and so on; each is two messages deeper, below the six that hold the attribute. */
  const nestedLists = (levels: number): Buffer => {
    let value: Buffer = Buffer.alloc(0);
    for (let depth = 0; depth < levels; depth++) value = bytesField(5, bytesField(1, value));
    return requestOf(bytesField(9, Buffer.concat([bytesField(1, 'deep'), bytesField(2, value)])));
  };

  it('is refused when its messages are nested more than 200 deep', () => {
    expect(() => spansOfProtobuf(nestedLists(300))).toThrow('nested too deeply');
    expect(() => spansOfProtobuf(nestedLists(98))).toThrow('max depth exceeded');
    expect(onlySpan(nestedLists(97)).attributes.has('deep')).toBe(true);
  });

  it('is refused when it has more than a million fields', () => {
    const fields = (count: number) => Buffer.alloc(2 * count, bytesField(2, ''));

    expect(() => spansOfProtobuf(fields(1_000_001))).toThrow('too many fields');
    expect(spansOfProtobuf(fields(1_000_000))).toEqual([]);
  });

  it('is refused when a number stands where messages belong', () => {
    expect(() => spansOfProtobuf(varintField(1, 7))).toThrow(ProtobufError);
  });
});

describe('spans in JSON', () => {
  it('cannot pass an object off as an integer', () => {
    const long = { low: 1, high: 0, unsigned: true, __isLong__: true };
    const span = aSpan({ startTimeUnixNano: long });
    const [group] = spansOfJson({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });

    expect(group!.spans[0]).toBeInstanceOf(SpanError);
  });
});

describe('a span in JSON', () => {
  it('is read also when a number in it cannot be converted', () => {
    const value = { doubleValue: { toString: 1, valueOf: 1 } };
    const span = { ...aSpan(), attributes: [{ key: 'x', value }] };
    const body = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
    const [read] = spansOfJson(body).flatMap((group) => group.spans);
    expect(read).toMatchObject({ attributes: new Map([['x', NaN]]) });
  });
});
