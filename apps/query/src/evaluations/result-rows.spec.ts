import type { EvalResultsSort } from '@app/contracts';
import {
  groupedRows,
  intersection,
  matchingRows,
  sortedRows,
  type ResultRow,
  type TrialEntry,
} from './result-rows.js';

const aTrial = (evaluationId: string, digest: string, more: Partial<TrialEntry> = {}) =>
  ({
    id: `${evaluationId}-${digest}`,
    evaluationId,
    digest,
    scores: '{}',
    matches: [],
    sortValues: [],
    ...more,
  }) satisfies TrialEntry;

const digests = (rows: readonly ResultRow[]) => rows.map(({ digest }) => digest).join(' ');
const about = (...ids: (string | null)[]) =>
  ids.map((evaluation_call_id) => ({ evaluation_call_id, query: {} }));
const by = (field: string, more: Partial<EvalResultsSort> = {}) =>
  [{ field, direction: 'asc', ...more }] as EvalResultsSort[];

describe('the rows of results', () => {
  it('are the trials of the same example, by evaluation', () => {
    const rows = groupedRows([
      aTrial('a', 'x'),
      aTrial('b', 'x'),
      aTrial('a', 'y'),
      aTrial('a', 'x'),
    ]);

    expect(rows.map(({ digest, evaluations }) => [digest, [...evaluations.keys()]])).toEqual([
      ['x', ['a', 'b']],
      ['y', ['a']],
    ]);
    expect(rows[0]!.evaluations.get('a')).toHaveLength(2);
    expect(digests(intersection(rows, ['a', 'b']))).toBe('x');
  });

  it('match with one group of filters, or with all filters', () => {
    const rows = groupedRows([
      aTrial('a', 'x', { matches: [true, false] }),
      aTrial('b', 'x', { matches: [false, false] }),
      aTrial('a', 'y', { matches: [true, false] }),
      aTrial('b', 'y', { matches: [false, true] }),
      aTrial('a', 'z', { matches: [false, true] }),
    ]);
    const filters = about('a', 'b');

    expect(digests(matchingRows(rows, { filters }))).toBe('x y');
    expect(digests(matchingRows(rows, { filters, filter_logic_operator: 'and' }))).toBe('y');
    expect(digests(matchingRows(rows, { filters: about('a', 'a') }))).toBe('');
    expect(digests(matchingRows(rows, { filters: about(null, null) }))).toBe('y');
    expect(digests(matchingRows(rows, {}))).toBe('x y z');
  });

  it('are sorted by the mean of a score, rows without a score last in either direction', () => {
    const rows = groupedRows([
      aTrial('a', 'x', { sortValues: [1] }),
      aTrial('a', 'x', { sortValues: [0] }),
      aTrial('a', 'y', { sortValues: [true] }),
      aTrial('a', 'z', { sortValues: [undefined] }),
      aTrial('b', 'x', { sortValues: [9] }),
    ]);
    const scoped = { evaluation_call_id: 'a' };

    expect(digests(sortedRows(rows, by('scores.s', scoped)))).toBe('x y z');
    expect(digests(sortedRows(rows, by('scores.s', { ...scoped, direction: 'desc' })))).toBe(
      'y x z',
    );
    expect(digests(sortedRows(rows, by('scores.s', { direction: 'desc' })))).toBe('x y z');
    expect(digests(sortedRows(rows, null))).toBe('x y z');
  });

  it('are sorted by the spread of a score over the evaluations', () => {
    const rows = groupedRows([
      aTrial('a', 'x', { sortValues: [1] }),
      aTrial('b', 'x', { sortValues: [2] }),
      aTrial('a', 'y', { sortValues: [5] }),
      aTrial('b', 'y', { sortValues: [1] }),
    ]);

    const spread = { mode: 'difference', direction: 'desc' } as const;
    expect(digests(sortedRows(rows, by('scores.s', spread)))).toBe('y x');
  });

  it('are sorted by numbers before texts', () => {
    const values = ['10', 9, 'b', 'a', { k: 1 }, undefined];
    const rows = groupedRows(
      values.map((value, i) => aTrial('a', `${i}`, { sortValues: [value] })),
    );

    expect(digests(sortedRows(rows, by('inputs.q')))).toBe('1 0 3 2 4 5');
  });
});
