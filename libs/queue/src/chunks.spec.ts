import { factSize, type NewFact } from '@app/events';
import { chunksOf, pendingChunkOf, projectLoads, sumOf } from './chunks.js';
import { CALLS_STREAM, pendingWritesKey } from './streams.js';

const MiB = 1024 * 1024;

const aFact = (fields: Partial<NewFact> & { bytes?: number } = {}): NewFact => {
  const { bytes = 100, ...rest } = fields;
  return {
    kind: 'delete',
    projectId: 'acme/demo',
    callId: 'c1',
    userId: 'ann',
    receivedAt: 1,
    item: Buffer.alloc(bytes),
    ...rest,
  } as NewFact;
};

describe('chunks', () => {
  const sizes = (...bytes: number[]) =>
    [
      ...chunksOf(
        bytes.map((size) => aFact({ bytes: size })),
        factSize,
      ),
    ].map((chunk) => chunk.length);

  it('have at most 2 MB, unless a single fact is larger', () => {
    expect(sizes()).toEqual([]);
    expect(sizes(10, 10, 10)).toEqual([3]);
    expect(sizes(MiB, MiB / 2, MiB / 2, 10)).toEqual([2, 2]);
    expect(sizes(10, 3 * MiB, 10)).toEqual([1, 1, 1]);
    expect(sizes(3 * MiB)).toEqual([1]);
  });

  it('have at most 2,000 facts', () => {
    expect(sizes(...Array<number>(4001).fill(10))).toEqual([2000, 2000, 1]);
  });

  it('contain every fact once, in order', () => {
    const facts = Array.from({ length: 1000 }, (_, i) =>
      aFact({ bytes: 7000, callId: `call ${i}` }),
    );
    const chunks = [...chunksOf(facts, factSize)];

    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.flat()).toEqual(facts);
    for (const chunk of chunks) {
      expect(chunk.reduce((sum, fact) => sum + factSize(fact), 0)).toBeLessThanOrEqual(2 * MiB);
    }
  });
});

describe('the entry of a pending chunk', () => {
  it('counts facts and bytes by project, and lists its sorted sets of pending writes', () => {
    const one = aFact({ projectId: 'a/one' });
    const facts = [
      one,
      aFact({ projectId: 'a/two', userId: 'bob', bytes: 9 }),
      aFact({ projectId: 'a/one' }),
    ];

    expect(pendingChunkOf(CALLS_STREAM, 'calls-fast', facts)).toEqual({
      queue: 'calls-fast',
      pendingWrites: [
        pendingWritesKey('a/one'),
        pendingWritesKey('a/one', 'ann'),
        pendingWritesKey('a/two'),
        pendingWritesKey('a/two', 'bob'),
      ],
      pending: [],
      facts: { 'a/one': 2, 'a/two': 1 },
      bytes: { 'a/one': 2 * factSize(one), 'a/two': factSize(facts[1]!) },
    });
  });

  it.each(['__proto__', 'constructor', '', '\ud800'])(
    'counts a rejected fact with the project id %j',
    (projectId) => {
      const { facts, bytes } = pendingChunkOf(CALLS_STREAM, 'calls-fast', [
        aFact({ projectId }),
        aFact({ projectId }),
      ]);

      expect(Object.entries(facts)).toEqual([[projectId, 2]]);
      expect(Object.entries(bytes)).toEqual([[projectId, 2 * factSize(aFact())]]);
    },
  );
});

describe('the loads of several requests', () => {
  it('are those of all their facts', () => {
    const one = [aFact({ projectId: 'a/b', bytes: 10 }), aFact({ projectId: 'a/c', bytes: 20 })];
    const other = [aFact({ projectId: 'a/c', bytes: 30 })];

    const sum = sumOf([one, other].map((facts) => projectLoads(facts, factSize)));

    expect(sum).toEqual(projectLoads([...one, ...other], factSize));
    expect(sumOf([])).toEqual(new Map());
  });
});
