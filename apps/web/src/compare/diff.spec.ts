import type { TreeBlock, TreeHeader } from '../api/types.js';
import { buildTree, type TraceTree } from '../trace/trace-tree.js';
import { jsonDiff } from './json-diff.js';
import { lineDiff, withContext, type DiffLine } from './line-diff.js';
import { alignedCalls } from './trace-align.js';

const signs = { same: ' ', added: '+', removed: '-' };
const printed = (lines: readonly DiffLine[]) =>
  lines.map(({ kind, text }) => signs[kind] + text).join('\n');

describe('a diff of texts', () => {
  it('keeps common lines and shows removed and added ones', () => {
    expect(printed(lineDiff('a\nb\nc\nd', 'a\nx\nc\nd\ne'))).toBe(' a\n-b\n+x\n c\n d\n+e');
    expect(printed(lineDiff('a', 'a'))).toBe(' a');
    expect(printed(lineDiff('', 'a'))).toBe('-\n+a');
    expect(printed(lineDiff('a\na', 'a'))).toBe(' a\n-a');
  });

  it('gives both texts back, whatever they are', () => {
    for (let seed = 1; seed < 200; seed++) {
      const text = (n: number) =>
        Array.from({ length: (seed * n) % 9 }, (_, i) => 'abc'[(seed * n * (i + 1)) % 3]).join(
          '\n',
        );
      const [before, after] = [text(7), text(5)];
      const lines = lineDiff(before, after);
      const side = (not: string) =>
        lines.flatMap(({ kind, text: line }) => (kind === not ? [] : [line])).join('\n');
      expect([side('added'), side('removed')]).toEqual([before, after]);
    }
  });

  it('of very long texts shows the changed part whole', () => {
    const long = (prefix: string) => Array.from({ length: 3000 }, (_, i) => prefix + i).join('\n');
    expect(lineDiff(`same\n${long('a')}`, `same\n${long('b')}`)).toHaveLength(6001);
  });

  it('leaves out lines that are far from a change', () => {
    const lines = lineDiff('1\n2\n3\n4\n5', '1\n2\n3\n4\nx');
    expect(withContext(lines, 1).map((one) => (typeof one === 'number' ? one : one.text))).toEqual([
      ...[3, '4', '5', 'x'],
    ]);
  });
});

describe('a diff of JSON', () => {
  it('names the path of each value that differs, with its exact text', () => {
    const before = '{"a":1.0,"b":{"c":[1,2]},"gone":null,"same":{"x":1}}';
    const after = '{"a":1,"b":{"c":[1,3,4]},"same":{"x":1},"a.b":true}';
    expect(jsonDiff(before, after).differences).toEqual([
      { path: 'a', before: '1.0', after: '1' },
      { path: 'b.c.1', before: '2', after: '3' },
      { path: 'b.c.2', before: undefined, after: '4' },
      { path: 'gone', before: 'null', after: undefined },
      { path: 'a\\.b', before: undefined, after: 'true' },
    ]);
  });

  it('compares values of different kinds as a whole, and is bounded', () => {
    expect(jsonDiff('{"a":1}', '[1]').differences).toEqual([
      { path: '', before: '{"a":1}', after: '[1]' },
    ]);
    expect(jsonDiff('[1]', '[1]').differences).toEqual([]);
    const list = (from: number) => JSON.stringify(Array.from({ length: 20 }, (_, i) => i + from));
    expect(jsonDiff(list(0), list(1), 5)).toMatchObject({ isCut: true });
    expect(jsonDiff(list(0), list(1), 5).differences).toHaveLength(5);
    const deep = (end: string) => `${'['.repeat(5000)}${end}${']'.repeat(5000)}`;
    expect(jsonDiff(deep('1'), deep('2')).differences).toHaveLength(1);
  });
});

/** A trace from the ops of its calls with their depth, in depth-first order. */
function aTree(...calls: readonly (readonly [op: string, depth: number])[]): TraceTree {
  const ops = [...new Set(calls.map(([op]) => op))];
  const parent = calls.map(([, depth], i) =>
    calls.findLastIndex(([, other], j) => j < i && other === depth - 1),
  );
  const zeros = calls.map(() => 0);
  const block = {
    id: calls.map((_, i) => `id-${i}`),
    parent,
    op: calls.map(([op]) => ops.indexOf(op)),
    ...{ name: calls.map(() => -1), status: zeros, start: zeros, duration: zeros },
    ...{ tokens: zeros, cost: zeros, feedback: zeros },
  } as TreeBlock;
  const header = { ops, names: [], statuses: ['success'] } as unknown as TreeHeader;
  return buildTree(header, [block]);
}

describe('an alignment of traces', () => {
  const shown = (left: TraceTree, right: TraceTree) =>
    alignedCalls(left, right, 0, 0).map((one) => [one.label, one.depth, one.left, one.right]);

  it('pairs the n-th calls of the same op under the same path', () => {
    const left = aTree(['run', 0], ['search', 1], ['fetch', 2], ['search', 1], ['chat', 1]);
    const right = aTree(['run', 0], ['plan', 1], ['search', 1], ['chat', 1], ['retry', 1]);
    expect(shown(left, right)).toEqual([
      ['run', 0, 0, 0],
      ['plan', 1, -1, 1],
      ['search', 1, 1, 2],
      ['fetch', 2, 2, -1],
      ['search', 1, 3, -1],
      ['chat', 1, 4, 3],
      ['retry', 1, -1, 4],
    ]);
  });

  it('pairs calls of two versions of an op, and traces thousands of calls deep', () => {
    const op = (digest: string) => `weave:///e/p/op/run:${digest}`;
    expect(shown(aTree([op('a'), 0]), aTree([op('b'), 0]))).toEqual([['run', 0, 0, 0]]);
    const deep = aTree(...Array.from({ length: 2000 }, (_, i) => ['step', i] as const));
    expect(shown(deep, deep)).toHaveLength(2000);
  });
});
