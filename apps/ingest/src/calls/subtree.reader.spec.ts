import { reachable } from './subtree.reader.js';

const link = (id: string, parent_id = '') => ({ id, parent_id });
const found = (ids: string[], links: ReturnType<typeof link>[]) =>
  [...reachable(ids, links)].sort();

describe('the calls under others', () => {
  const tree = [link('root'), link('a', 'root'), link('b', 'root'), link('leaf', 'a')];

  it('are they and all their descendants', () => {
    expect(found(['root'], tree)).toEqual(['a', 'b', 'leaf', 'root']);
    expect(found(['a'], tree)).toEqual(['a', 'leaf']);
    expect(found(['a', 'leaf', 'b'], tree)).toEqual(['a', 'b', 'leaf']);
  });

  it('are none of a call that is not there, not even roots of the trace', () => {
    expect(found(['unknown'], tree)).toEqual([]);
    expect(found([''], tree)).toEqual([]);
    expect(found([], tree)).toEqual([]);
  });

  it('end although calls are each other’s parents', () => {
    expect(found(['x'], [link('x', 'y'), link('y', 'x'), link('z', 'z')])).toEqual(['x', 'y']);
  });

  it('may be very many, side by side or one below the other', () => {
    const many = Array.from({ length: 300_000 }, (_, i) => `c${i}`);
    const wide = [link('root'), ...many.map((id) => link(id, 'root'))];
    const deep = [link('root'), ...many.map((id, i) => link(id, many[i - 1] ?? 'root'))];

    for (const links of [wide, deep]) expect(reachable(['root'], links).size).toBe(300_001);
  });
});
