import { micros } from '@app/wire';
import { decodeRecords, encodeRecords } from './record-chunk.js';

const aChunk = (type: string) =>
  Buffer.concat([
    encodeRecords([
      {
        type,
        projectId: 'acme/demo',
        userId: 'ann',
        receivedAt: micros(1),
        data: {},
        body: Buffer.from('{}'),
      },
    ]),
    Buffer.from('[[7,-1]]'),
  ]);

describe('a chunk of facts about records', () => {
  it('is decoded with the order that Redis has assigned', () => {
    expect(decodeRecords('c1', aChunk('TagChanged'))).toMatchObject([
      { type: 'TagChanged', seq: 7, versionIndex: -1, chunkId: 'c1', index: 0 },
    ]);
  });

  it('refuses a fact of a type that only a later release knows', () => {
    expect(() => decodeRecords('c1', aChunk('SpanFolded'))).toThrow('the unknown type SpanFolded');
    expect(() => decodeRecords('c1', aChunk('constructor'))).toThrow(
      'the unknown type constructor',
    );
  });
});
