import fc from 'fast-check';
import { spansOfProtobuf } from './otlp-protobuf.js';
import { ProtobufError, protobufField, ProtobufReader, uintOf } from './protobuf.js';

const fieldsOf = (bytes: Buffer) => {
  const fields: [number, bigint | string][] = [];
  new ProtobufReader().walk(bytes, (field, value) => {
    fields.push([field, typeof value === 'bigint' ? value : value.toString()]);
  });
  return fields;
};

describe('the protobuf reader', () => {
  it('reads back what is written, of any size', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat(),
        fc.string(),
        fc.integer({ min: 1, max: 1000 }),
        (n, text, at) => {
          const bytes = Buffer.concat([protobufField(at, n), protobufField(at, text)]);

          expect(fieldsOf(bytes)).toEqual([
            [at, BigInt(n)],
            [at, text],
          ]);
        },
      ),
    );
  });

  it('takes any bytes for a message or says that they are none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          spansOfProtobuf(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what is nested beyond reason', () => {
    let value: Buffer = Buffer.alloc(0);
    for (let depth = 0; depth < 300; depth++) value = protobufField(5, protobufField(1, value));
    const attribute: Buffer = Buffer.concat([protobufField(1, 'deep'), protobufField(2, value)]);
    const request = [9, 2, 2, 1].reduce<Buffer>((inner, at) => protobufField(at, inner), attribute);

    expect(() => spansOfProtobuf(request)).toThrow('nested too deeply');
  });

  it('refuses a number where bytes belong, and the other way round', () => {
    expect(() => spansOfProtobuf(protobufField(1, 7))).toThrow(ProtobufError);
    expect(() => uintOf(Buffer.from('abc'))).toThrow(ProtobufError);
  });
});
