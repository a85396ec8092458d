import type { TreeHeader } from '../api/types.js';
import { foldedRows, foldText } from './folds.js';
import { buildTree } from './trace-tree.js';

const header: TreeHeader = {
  trace_id: 't',
  count: 0,
  has_more: false,
  started_at: '2026-03-01T10:00:00Z',
  ops: ['agent', 'plan,a', 'search'],
  names: [],
  statuses: ['success'],
};

/** agent ─ n × (plan ─ search). Row 0 is the agent, and every odd row a plan. */
function treeOf(plans: number) {
  const count = 1 + 2 * plans;
  const rows = Array.from({ length: count }, (_, row) => row);
  const zeros = rows.map(() => 0);
  const isPlan = (row: number) => row % 2 === 1;
  return buildTree(header, [
    {
      id: rows.map((row) => `call ${row}, %`),
      parent: rows.map((row) => (row === 0 ? -1 : isPlan(row) ? 0 : row - 1)),
      op: rows.map((row) => (row === 0 ? 0 : isPlan(row) ? 1 : 2)),
      ...{ name: rows.map(() => -1), status: zeros, start: zeros, duration: zeros },
      ...{ tokens: zeros, cost: zeros, feedback: zeros },
    },
  ]);
}

describe('the folded calls in an address', () => {
  const tree = treeOf(50);
  const plans = Array.from({ length: 50 }, (_, n) => 1 + 2 * n);

  it.each([
    ['none', []],
    ['one', [3]],
    ['the whole trace', [0]],
    ['every call of an op', plans],
    ['all of an op but two', plans.filter((row) => row !== 3 && row !== 9)],
    ['half of an op', plans.slice(0, 25)],
    ['everything', [0, ...plans]],
  ])('are the same after a reload: %s', (_, rows) => {
    expect([...foldedRows(tree, foldText(tree, new Set(rows)))]).toEqual(rows);
  });

  it('are few characters when all calls of an op are folded', () => {
    expect(foldText(tree, new Set(plans))).toBe('*plan%2Ca');
  });

  it('stay folded when calls are added before them', () => {
    const text = foldText(treeOf(2), new Set([3]));
    const later = treeOf(3);
    const ids = [later.ids[0]!, 'new', 'new below', ...later.ids.slice(1, -2)];

    expect([...foldedRows({ ...later, ids }, text)]).toEqual([5]);
  });

  it('are bounded, and never folded by a text that is none', () => {
    const large = treeOf(1000);
    const every3rd = new Set(Array.from({ length: 300 }, (_, n) => 1 + 6 * n));

    expect(foldedRows(large, foldText(large, every3rd)).size).toBe(100);
    expect(foldedRows(tree, '%E0%A4%A,,.no such call,*no such op,-').size).toBe(0);
    expect(foldedRows(tree, undefined).size).toBe(0);
  });
});
