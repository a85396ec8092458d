import type { TreeBlock, TreeHeader } from '../api/types.js';
import {
  buildTree,
  criticalPath,
  isRunning,
  isSettling,
  labelOf,
  matchesIn,
  nextRow,
  opToggled,
  revealed,
  visibleRows,
} from './trace-tree.js';

const header: TreeHeader = {
  trace_id: 't',
  count: 0,
  has_more: false,
  started_at: '2026-03-01T10:00:00Z',
  ops: ['weave:///a/b/op/agent:x', 'plan', 'search'],
  names: ['a display name'],
  statuses: ['running', 'success', 'error', 'descendant_error'],
};

/** agent ─ plan ─ search (error); agent ─ search; in two blocks, as the server sends a large trace. */
const blocks: TreeBlock[] = [
  {
    id: ['r', 'p'],
    parent: [-1, 0],
    op: [0, 1],
    name: [-1, 0],
    status: [3, 3],
    start: [0, 100],
    duration: [1000, 400],
    tokens: [30, 10],
    cost: [0.5, null],
    feedback: [0, 1],
  },
  {
    id: ['s', 'z'],
    parent: [1, 0],
    op: [2, 2],
    name: [-1, -1],
    status: [2, 1],
    start: [200, 300],
    duration: [100, 500],
    tokens: [10, 20],
    cost: [null, 0.5],
    feedback: [0, 0],
  },
];
const tree = buildTree(header, blocks);
const started = Date.parse(header.started_at);
const list = (array: ArrayLike<number>) => Array.from(array);

describe('the tree of a trace', () => {
  it('may lack calls while one runs, and for a minute around its end, as clocks differ', () => {
    const running = buildTree(header, [{ ...blocks[0]!, status: [0, 1] }]);

    expect([isRunning(tree), isRunning(running)]).toEqual([false, true]);
    const seconds = [-3600, -30, 1, 59, 62, 3600];
    expect(seconds.filter((after) => isSettling(tree, started + after * 1000))).toEqual([
      -30, 1, 59,
    ]);
  });

  it('has depths, subtree sizes and subtree errors', () => {
    expect(list(tree.depth)).toEqual([0, 1, 2, 1]);
    expect(list(tree.size)).toEqual([4, 2, 1, 1]);
    expect(list(tree.errors)).toEqual([1, 1, 1, 0]);
    expect(tree.length).toBe(1000);
  });

  it('knows the place of each call among its siblings', () => {
    expect(list(tree.place)).toEqual([1, 1, 1, 2]);
    expect(list(tree.siblings)).toEqual([1, 2, 1, 2]);
  });

  it('counts as self time only the time in which no child ran', () => {
    // The children run from 100 to 500 and from 300 to 800: 700 of 1000 µs.
    expect(list(tree.self)).toEqual([300, 300, 100, 500]);
  });

  it('shows the display name, else the name of the op', () => {
    expect([0, 1, 2].map((row) => labelOf(tree, row))).toEqual([
      'agent',
      'a display name',
      'search',
    ]);
  });

  it('hides what is inside a folded call, and shows a call again by unfolding those above it', () => {
    const folded = new Set([0, 1]);

    expect(list(visibleRows(tree, folded))).toEqual([0]);
    expect(list(visibleRows(tree, new Set([1])))).toEqual([0, 1, 3]);
    expect(list(visibleRows(tree, revealed(tree, folded, 2)))).toEqual([0, 1, 2, 3]);
  });

  it('folds every call of an op, and unfolds them again', () => {
    const [op] = tree.op;
    const folded = opToggled(tree, new Set(), op!);

    expect([...folded]).toContain(0);
    expect([...opToggled(tree, folded, op!)]).toEqual([]);
    expect(revealed(tree, folded, 0)).toBe(folded);
  });

  it('finds the next row in both directions, and starts again at the end', () => {
    const isError = (row: number) => tree.status[row] === 2;

    expect(nextRow(4, 0, 1, isError)).toBe(2);
    expect(nextRow(4, 2, 1, isError)).toBe(2);
    expect(nextRow(4, 1, -1, isError)).toBe(2);
    expect(nextRow(4, 1, 1, () => false)).toBeUndefined();
    expect(list(Int32Array.from(matchesIn(tree, 'SEAR')))).toEqual([2, 3]);
  });

  it('has a critical path of the calls that decide how long it took', () => {
    // The second search ended last; before it started, the plan ran.
    expect([...criticalPath(tree)].sort()).toEqual([0, 1, 2, 3]);
  });

  it('takes the columns of 30,000 calls in well under a second', () => {
    const count = 30_000;
    const numbers = (make: (i: number) => number) =>
      Array.from({ length: count }, (_, i) => make(i));
    const block: TreeBlock = {
      id: numbers((i) => i).map(String),
      parent: numbers((i) =>
        i === 0 ? -1 : Math.floor((i - 1) / 2) < i ? i - 1 - (i % 3 === 0 ? 0 : (i % 3) - 1) : 0,
      ),
      op: numbers(() => 0),
      name: numbers(() => -1),
      status: numbers(() => 1),
      start: numbers((i) => i),
      duration: numbers(() => 10),
      tokens: numbers(() => 1),
      cost: numbers(() => 1),
      feedback: numbers(() => 0),
    };
    const started = performance.now();

    const large = buildTree(header, [block]);

    expect(large.size[0]).toBe(count);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
