import fc from 'fast-check';
import { micros } from '@app/wire';
import { decodeChunk, encodeChunk, type NewFact } from './fact-chunk.js';

const newFact: fc.Arbitrary<NewFact> = fc
  .record({
    kind: fc.constantFrom('start', 'end', 'complete', 'rename', 'delete', 'rejected'),
    projectId: fc.constantFrom('acme/demo', 'acme/other', 'é/ü'),
    userId: fc.constantFrom('ann', 'bob'),
    addsOnly: fc.boolean(),
    origin: fc.option(
      fc.record({
        keyId: fc.constantFrom('k1', 'k2'),
        address: fc.constantFrom('', '10.0.0.1', '2001:db8::1'),
        requestId: fc.string(),
      }),
      { nil: undefined },
    ),
    callId: fc.string({ unit: 'grapheme' }),
    receivedAt: fc.integer({ min: 0, max: 2 ** 52 }).map(micros),
    reason: fc.string(),
    item: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  })
  .map(({ origin, ...fact }) => ({ ...fact, ...(origin && { origin }) }))
  .map(({ reason, ...fact }) =>
    fact.kind === 'rejected' ? { ...fact, kind: fact.kind, reason } : (fact as NewFact),
  );

const aNewFact: NewFact = {
  kind: 'start',
  projectId: 'acme/demo',
  callId: 'c',
  userId: 'ann',
  addsOnly: false,
  receivedAt: micros(1),
  item: Buffer.from('{}'),
};

describe('a chunk of facts', () => {
  it('is decoded as it was encoded, and each fact has its chunk and index', () => {
    fc.assert(
      fc.property(fc.array(newFact), (facts) => {
        const read = decodeChunk('c1', encodeChunk(facts));
        expect(read).toEqual(facts.map((fact, index) => ({ ...fact, chunkId: 'c1', index })));
      }),
    );
  });

  it('of an earlier release, which has no marks, may change every call', () => {
    const bytes = encodeChunk([{ ...aNewFact, addsOnly: true }]);
    const marked = bytes.toString('latin1');
    const unmarked = Buffer.from(marked.replace('"addOnly":[0]', '"other_1":[0]'), 'latin1');

    expect(decodeChunk('c1', bytes)).toMatchObject([{ addsOnly: true }]);
    expect(decodeChunk('c1', unmarked)).toMatchObject([{ addsOnly: false }]);
  });

  it('refuses an unknown format', () => {
    const bytes = encodeChunk([]);
    bytes.write('{"v":9', 4);
    expect(() => decodeChunk('c1', bytes)).toThrow('chunk c1 has format 9');
  });

  it('refuses a fact of an unknown kind', () => {
    const bytes = encodeChunk([aNewFact]);
    bytes.writeUInt8(6, 4 + bytes.readUInt32LE(0));
    expect(() => decodeChunk('c1', bytes)).toThrow('chunk c1 has a fact of the unknown kind 6');
  });
});
