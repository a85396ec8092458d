import { withLatest, type VersionWithoutLatestRow } from './object-versions.js';

const version = (digest: string, idx: number, fields: Partial<VersionWithoutLatestRow> = {}) =>
  ({
    object_id: 'cfg',
    kind: 'object',
    digest,
    idx,
    last_published: String(idx),
    is_live: 1,
    ...fields,
  }) as VersionWithoutLatestRow;

const latest = (...rows: VersionWithoutLatestRow[]) =>
  withLatest(rows)
    .filter(({ is_latest }) => is_latest)
    .map(({ digest }) => digest);

describe('the latest version', () => {
  it('is the one published last, even when an old version is published again', () => {
    expect(latest(version('a', 0), version('b', 1), version('c', 2))).toEqual(['c']);
    expect(latest(version('a', 0, { last_published: '11' }), version('b', 9))).toEqual(['a']);
  });

  it('is the newest live version when the one published last is deleted', () => {
    const deleted = version('a', 0, { last_published: 9, is_live: 0 });
    expect(latest(deleted, version('b', 1, { last_published: 8 }), version('c', 2))).toEqual(['c']);
    expect(latest(deleted)).toEqual([]);
  });

  it('is determined separately for each name and kind', () => {
    const op = version('o', 0, { kind: 'op' });
    const other = version('x', 0, { object_id: 'other' });
    expect(latest(version('a', 0), op, other)).toEqual(['a', 'o', 'x']);
  });
});
