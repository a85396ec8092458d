import { slicedResult, type SlicedResult } from './thread-slices.js';
import type { ThreadSlice } from './thread-messages.js';

const aFact = (i: number, body: Buffer) => ({
  id: `call ${i}`,
  item: body.subarray(i, i + 3),
  data: { at: i, tags: ['a', i], row: { val: body.subarray(0, i % 3) } },
  parent: null,
});

const slicesIn = ({ slices }: SlicedResult): ThreadSlice[] => {
  const all: ThreadSlice[] = [];
  for (let next = slices.next(); !next.done; next = slices.next()) all.push(next.value);
  return all;
};

/** As the main thread puts the result together. */
function whole(sliced: SlicedResult): unknown {
  const copy = structuredClone(sliced.result) as Record<string, unknown[]>;
  for (const { list, items } of slicesIn(sliced)) copy[list]!.push(...structuredClone(items));
  return copy;
}

describe('the result of a thread in slices', () => {
  const body = Buffer.from('x'.repeat(5000));
  const facts = Array.from({ length: 1201 }, (_, i) => aFact(i, body));
  const responses = Array.from({ length: 501 }, (_, i) => ({ id: i }));

  it('is complete when all slices have arrived', () => {
    const result = { facts, responses, ignored: ['a'], digest: 'd', body };
    const sliced = slicedResult(result);

    expect(sliced.lists).toEqual(['facts', 'responses']);
    expect(sliced.result).toMatchObject({ facts: [], responses: [], ignored: ['a'], digest: 'd' });
    expect(whole(sliced)).toEqual(structuredClone(result));
  });

  it('has at most 500 items in a slice, and one last slice', () => {
    const all = slicesIn(slicedResult({ facts, responses }));
    expect(all.map(({ list, items }) => [list, items.length])).toEqual([
      ['facts', 500],
      ['facts', 500],
      ['facts', 201],
      ['responses', 500],
      ['responses', 1],
    ]);
    expect(all.map(({ isLast }) => isLast)).toEqual([false, false, false, false, true]);
  });

  it('copies only the bytes of its own items', () => {
    const [first] = slicesIn(slicedResult({ facts }));
    const { item } = first!.items[7] as { item: Uint8Array };
    expect(item.buffer.byteLength).toBeLessThan(body.length);
    expect([...item]).toEqual([...facts[7]!.item]);
  });

  it('of a short list, of nothing or of a list itself is not cut', () => {
    for (const result of [{ facts: facts.slice(0, 500) }, undefined, null, facts, 'text']) {
      expect(slicedResult(result)).toMatchObject({ result, lists: [] });
    }
  });
});
