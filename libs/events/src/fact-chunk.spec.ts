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

const sized = (text: string) => {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
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

  it('has the bytes that other releases read', () => {
    const start: NewFact = {
      ...aNewFact,
      callId: 'c1',
      origin: { keyId: 'k', address: '::1', requestId: 'r' },
      receivedAt: micros(1_772_359_200_123_456),
    };
    const rejected: NewFact = {
      ...aNewFact,
      kind: 'rejected',
      projectId: 'é/ü',
      callId: '東京',
      userId: 'bob',
      addsOnly: true,
      reason: 'no '.repeat(30),
    };
    const header =
      '{"v":1,"count":2,"projects":["acme/demo","é/ü"],"people":["ann","bob"],' +
      '"addOnly":[1],"origins":[[0,"k","::1","r"]]}';
    const expected = Buffer.concat([
      sized(header),
      Buffer.from('000000000000000000', 'hex'),
      Buffer.from('00a92622ce2f1943', 'hex'),
      sized('c1'),
      sized(''),
      sized('{}'),
      Buffer.from('050100000001000000', 'hex'),
      Buffer.from('000000000000f03f', 'hex'),
      sized('東京'),
      sized('no '.repeat(30)),
      sized('{}'),
    ]);

    expect(encodeChunk([start, rejected]).toString('hex')).toBe(expected.toString('hex'));
  });

  it('has long ids, and ids of which only the last character is not ASCII, as they were sent', () => {
    const ids = ['', 'a'.repeat(64), 'b'.repeat(65), `${'c'.repeat(63)}é`, `${'d'.repeat(64)}👍`];
    const facts = ids.map((callId) => ({ ...aNewFact, callId }));

    expect(decodeChunk('c1', encodeChunk(facts)).map(({ callId }) => callId)).toEqual(ids);
  });

  it('is refused wherever it was cut, and when it has more bytes than facts', () => {
    const whole = encodeChunk([aNewFact, { ...aNewFact, item: Buffer.from('{"a":1}') }]);

    for (let end = 0; end < whole.length; end++)
      expect(() => decodeChunk('c1', whole.subarray(0, end))).toThrow();
    expect(() => decodeChunk('c1', Buffer.concat([whole, Buffer.from([0])]))).toThrow(
      'chunk c1 has 1 bytes after its last fact',
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
