import { opLabel } from '../format.js';
import type { TraceTree } from '../trace/trace-tree.js';

/** A call of one trace and the call of the other at the same place; -1 when the other has none. */
export interface AlignedCall {
  readonly label: string;
  readonly depth: number;
  readonly left: number;
  readonly right: number;
}

/** The op of a row without its version, so that calls of two versions are aligned. */
const opOf = ({ header, op }: TraceTree, row: number) => opLabel(header.ops[op[row]!] ?? '');

function childrenOf({ size }: TraceTree, row: number): number[] {
  const children: number[] = [];
  for (let i = row + 1; i < row + size[row]!; i += size[i]!) children.push(i);
  return children;
}

/** Rows by op and by which call of this op it is among its siblings: `search 2`. */
function keysOf(tree: TraceTree, rows: readonly number[]): Map<string, number> {
  const seen = new Map<string, number>();
  return new Map(
    rows.map((row) => {
      const op = opOf(tree, row);
      const place = (seen.get(op) ?? 0) + 1;
      seen.set(op, place);
      return [`${op} ${place}`, row];
    }),
  );
}

/**
 * Two traces, from these calls on, aligned by op path: under two calls that are aligned, the n-th calls of the same op are.
 * What only one trace has stays at its place.
 */
export function alignedCalls(
  left: TraceTree,
  right: TraceTree,
  leftRow: number,
  rightRow: number,
): AlignedCall[] {
  const aligned: AlignedCall[] = [];
  const waiting: AlignedCall[] = [
    { label: opOf(left, leftRow), depth: 0, left: leftRow, right: rightRow },
  ];
  // Not recursive, because a trace may be thousands of calls deep.
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    aligned.push(next);
    waiting.push(...pairsBelow(left, right, next).reverse());
  }
  return aligned;
}

function pairsBelow(left: TraceTree, right: TraceTree, above: AlignedCall): AlignedCall[] {
  const ours = keysOf(left, above.left < 0 ? [] : childrenOf(left, above.left));
  const theirs = keysOf(right, above.right < 0 ? [] : childrenOf(right, above.right));
  const depth = above.depth + 1;
  const onlyTheirs = [...theirs].filter(([key]) => !ours.has(key));
  const pairs: AlignedCall[] = [];
  const addTheirsBefore = (row: number) => {
    while (onlyTheirs.length > 0 && onlyTheirs[0]![1] < row) {
      const [, one] = onlyTheirs.shift()!;
      pairs.push({ label: opOf(right, one), depth, left: -1, right: one });
    }
  };
  for (const [key, row] of ours) {
    const other = theirs.get(key) ?? -1;
    if (other >= 0) addTheirsBefore(other);
    pairs.push({ label: opOf(left, row), depth, left: row, right: other });
  }
  addTheirsBefore(Infinity);
  return pairs;
}
