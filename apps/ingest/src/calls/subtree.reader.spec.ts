import { reachable } from './subtree.reader.js';

const link = (id: string, parent_id = '') => ({ id, parent_id });
const found = (ids: string[], links: ReturnType<typeof link>[]) =>
  [...reachable(ids, links)].sort();

describe('the subtree of calls', () => {
  const tree = [link('root'), link('a', 'root'), link('b', 'root'), link('leaf', 'a')];

  it('has the calls and all their descendants', () => {
    expect(found(['root'], tree)).toEqual(['a', 'b', 'leaf', 'root']);
    expect(found(['a'], tree)).toEqual(['a', 'leaf']);
    expect(found(['a', 'leaf', 'b'], tree)).toEqual(['a', 'b', 'leaf']);
  });

  it('is empty for an unknown call, even if the trace has roots', () => {
    expect(found(['unknown'], tree)).toEqual([]);
    expect(found([''], tree)).toEqual([]);
    expect(found([], tree)).toEqual([]);
  });

  it('is finite when calls are parents of each other', () => {
    expect(found(['x'], [link('x', 'y'), link('y', 'x'), link('z', 'z')])).toEqual(['x', 'y']);
  });

  it('can be very wide or very deep', () => {
    const many = Array.from({ length: 300_000 }, (_, i) => `c${i}`);
    const wide = [link('root'), ...many.map((id) => link(id, 'root'))];
    const deep = [link('root'), ...many.map((id, i) => link(id, many[i - 1] ?? 'root'))];

    for (const links of [wide, deep]) expect(reachable(['root'], links).size).toBe(300_001);
  });
});
