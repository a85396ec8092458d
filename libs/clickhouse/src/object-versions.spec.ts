import { withLatest, type LoneVersionRow } from './object-versions.js';

const version = (digest: string, idx: number, fields: Partial<LoneVersionRow> = {}) =>
  ({
    object_id: 'cfg',
    kind: 'object',
    digest,
    idx,
    last_published: String(idx),
    is_live: 1,
    ...fields,
  }) as LoneVersionRow;

const latest = (...rows: LoneVersionRow[]) =>
  withLatest(rows)
    .filter(({ is_latest }) => is_latest)
    .map(({ digest }) => digest);

describe('the latest version', () => {
  it('is the one published last, an old one published again too', () => {
    expect(latest(version('a', 0), version('b', 1), version('c', 2))).toEqual(['c']);
    expect(latest(version('a', 0, { last_published: '11' }), version('b', 9))).toEqual(['a']);
  });

  it('is the newest that lives when the one published last is dead', () => {
    const dead = version('a', 0, { last_published: 9, is_live: 0 });
    expect(latest(dead, version('b', 1, { last_published: 8 }), version('c', 2))).toEqual(['c']);
    expect(latest(dead)).toEqual([]);
  });

  it('is one for each name and kind', () => {
    const op = version('o', 0, { kind: 'op' });
    const other = version('x', 0, { object_id: 'other' });
    expect(latest(version('a', 0), op, other)).toEqual(['a', 'o', 'x']);
  });
});
