import { listIn, listText } from '../ui/search-list.js';
import type { TraceTree } from './trace-tree.js';

/** In the address, the first character says what a mark names: `*` an op, `.` a call, `-` a call of such an op that is open. */
type Mark = `${'*' | '.' | '-'}${string}`;

/** The folded rows of an address. Calls are named by id, because the rows of a trace that still runs change. */
export function foldedRows(tree: TraceTree, text: string | undefined): ReadonlySet<number> {
  const folded = new Set<number>();
  if (text === undefined) return folded;
  const marks = listIn(text);
  const named = (kind: string) =>
    new Set(marks.filter((mark) => mark.startsWith(kind)).map((mark) => mark.slice(1)));
  const [ops, closed, open] = [named('*'), named('.'), named('-')];
  for (let row = 0; row < tree.count; row++) {
    const id = tree.ids[row]!;
    const isFolded = closed.has(id) || (ops.has(opOf(tree, row)) && !open.has(id));
    if (isFolded && tree.size[row]! > 1) folded.add(row);
  }
  return folded;
}

/** The text of an address for these rows, and `''` when none is folded. Of too many, the last ones are kept. */
export function foldText(tree: TraceTree, folded: ReadonlySet<number>): string {
  const ops = new Map<number, { readonly open: number[]; readonly closed: number[] }>();
  for (let row = 0; row < tree.count; row++) {
    if (tree.size[row]! < 2) continue;
    const op = tree.op[row]!;
    const rows = ops.get(op) ?? { open: [], closed: [] };
    ops.set(op, rows);
    rows[folded.has(row) ? 'closed' : 'open'].push(row);
  }
  const id = (kind: '.' | '-') => (row: number) => `${kind}${tree.ids[row]!}` as const;
  const marks = [...ops.values()].flatMap(({ open, closed }): Mark[] =>
    closed.length > 1 + open.length
      ? [`*${opOf(tree, closed[0]!)}`, ...open.map(id('-'))]
      : closed.map(id('.')),
  );
  return listText(marks);
}

const opOf = (tree: TraceTree, row: number) => tree.header.ops[tree.op[row]!] ?? '';
