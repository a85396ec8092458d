import type { Status, TreeBlock, TreeHeader } from '../api/types.js';
import { opLabel } from '../format.js';

/** A trace as columns in depth-first order: 30,000 calls are a few typed arrays, not 30,000 objects. Times are µs. */
export interface TraceTree {
  readonly header: TreeHeader;
  readonly count: number;
  readonly ids: readonly string[];
  /** Row of the parent, -1 for a root. */
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /** Number of calls in the subtree, with the call itself. */
  readonly size: Int32Array;
  readonly op: Int32Array;
  readonly name: Int32Array;
  readonly status: Uint8Array;
  readonly start: Float64Array;
  /** -1 while the call runs. */
  readonly duration: Float64Array;
  /** Time in which none of its children ran. */
  readonly self: Float64Array;
  /** Of the subtree. */
  readonly tokens: Float64Array;
  /** Of the subtree; NaN without a price. */
  readonly cost: Float64Array;
  /** Errors in the subtree, with the call itself. */
  readonly errors: Int32Array;
  readonly feedback: Int32Array;
  /** Place among its siblings, from 1, and their number. */
  readonly place: Int32Array;
  readonly siblings: Int32Array;
  /** End of the last call. */
  readonly length: number;
}

/** SDKs send in the background, and workers may be behind: the calls of a trace arrive in any order, and not all at once. */
export const SETTLING_MS = 60_000;

export function isRunning({ header, status }: TraceTree): boolean {
  return status.includes(header.statuses.indexOf('running'));
}

/** Whether the trace has just ended, so that calls of it may still be on their way. Clocks may differ. */
export function isSettling({ header, length }: TraceTree, now: number): boolean {
  const endedAt = Date.parse(header.started_at) + length / 1000;
  return Math.abs(now - endedAt) < SETTLING_MS;
}

export function buildTree(header: TreeHeader, blocks: readonly TreeBlock[]): TraceTree {
  const column = (name: keyof TreeBlock) => blocks.flatMap((block) => block[name] as number[]);
  const ids = blocks.flatMap((block) => block.id);
  const count = ids.length;
  const parent = Int32Array.from(column('parent'));
  const start = Float64Array.from(column('start'));
  const duration = Float64Array.from(column('duration'));
  const status = Uint8Array.from(column('status'));
  const size = new Int32Array(count).fill(1);
  const errors = new Int32Array(count);
  const depth = new Int32Array(count);
  const isError = header.statuses.map((word) => word === 'error');
  let length = 0;
  for (let i = 0; i < count; i++) {
    depth[i] = parent[i]! < 0 ? 0 : depth[parent[i]!]! + 1;
    errors[i] = isError[status[i]!] ? 1 : 0;
    length = Math.max(length, start[i]! + Math.max(0, duration[i]!));
  }
  // Children come after their parent, so that from the end every subtree is complete before it is added.
  for (let i = count - 1; i >= 0; i--) {
    const above = parent[i]!;
    if (above < 0) continue;
    size[above]! += size[i]!;
    errors[above]! += errors[i]!;
  }
  return {
    header,
    count,
    ids,
    parent,
    depth,
    size,
    op: Int32Array.from(column('op')),
    name: Int32Array.from(column('name')),
    status,
    start,
    duration,
    self: selfTimes(parent, start, duration),
    tokens: Float64Array.from(column('tokens')),
    cost: Float64Array.from(blocks.flatMap((block) => block.cost.map((cost) => cost ?? NaN))),
    errors,
    feedback: Int32Array.from(column('feedback')),
    ...siblingsOf(parent),
    length,
  };
}

/** The duration without the union of the children's intervals. Children are in the order of their start. */
function selfTimes(parent: Int32Array, start: Float64Array, duration: Float64Array): Float64Array {
  const self = Float64Array.from(duration, (micros) => Math.max(0, micros));
  const coveredUntil = Float64Array.from(start);
  for (let i = 0; i < parent.length; i++) {
    const above = parent[i]!;
    if (above < 0 || duration[above]! < 0) continue;
    const end = Math.min(start[i]! + Math.max(0, duration[i]!), start[above]! + duration[above]!);
    const from = Math.max(start[i]!, coveredUntil[above]!);
    if (end <= from) continue;
    self[above]! -= end - from;
    coveredUntil[above] = end;
  }
  return self;
}

function siblingsOf(parent: Int32Array): { place: Int32Array; siblings: Int32Array } {
  const children = new Int32Array(parent.length + 1);
  const place = new Int32Array(parent.length);
  for (let i = 0; i < parent.length; i++) place[i] = ++children[parent[i]! + 1]!;
  const siblings = Int32Array.from(parent, (above) => children[above + 1]!);
  return { place, siblings };
}

/** The rows that are not inside a folded call. */
export function visibleRows({ count, size }: TraceTree, folded: ReadonlySet<number>): Int32Array {
  const rows = new Int32Array(count);
  let shown = 0;
  for (let i = 0; i < count; i += folded.has(i) ? size[i]! : 1) rows[shown++] = i;
  return rows.subarray(0, shown);
}

/** The set without the calls above this row, so that the row is visible. The same set when it is visible already. */
export function revealed(
  { parent }: TraceTree,
  folded: ReadonlySet<number>,
  row: number,
): ReadonlySet<number> {
  const above: number[] = [];
  for (let next = parent[row] ?? -1; next >= 0; next = parent[next]!) {
    if (folded.has(next)) above.push(next);
  }
  return above.length === 0 ? folded : new Set([...folded].filter((one) => !above.includes(one)));
}

/** Folds every call of an op, or unfolds them when all of them are folded. */
export function opToggled(
  { op, size }: TraceTree,
  folded: ReadonlySet<number>,
  wanted: number,
): ReadonlySet<number> {
  const changed = new Set(folded);
  const rows: number[] = [];
  for (let row = 0; row < op.length; row++)
    if (op[row] === wanted && size[row]! > 1) rows.push(row);
  const isFolded = rows.some((row) => !folded.has(row));
  for (const row of rows) {
    if (isFolded) changed.add(row);
    else changed.delete(row);
  }
  return changed;
}

/** The next row after (or before) a row for which the condition holds; the search continues at the other end. */
export function nextRow(
  count: number,
  from: number,
  step: 1 | -1,
  matches: (row: number) => boolean,
): number | undefined {
  for (let n = 1; n <= count; n++) {
    const row = (((from + n * step) % count) + count) % count;
    if (matches(row)) return row;
  }
  return undefined;
}

export const labelOf = ({ header, name, op }: TraceTree, row: number): string =>
  header.names[name[row]!] ?? opLabel(header.ops[op[row]!] ?? '');

export const statusOf = ({ header, status }: TraceTree, row: number): Status =>
  header.statuses[status[row]!] ?? 'success';

/** Rows whose name or op contains the text. */
export function matchesIn(tree: TraceTree, text: string): ReadonlySet<number> {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return new Set();
  const found = new Set<number>();
  for (let row = 0; row < tree.count; row++) {
    if (labelOf(tree, row).toLowerCase().includes(wanted) || tree.ids[row] === text.trim())
      found.add(row);
  }
  return found;
}

/** Calls that decide how long the trace took: at any time the child that ended last, from the end to the start. */
export function criticalPath(tree: TraceTree): ReadonlySet<number> {
  const { count, parent, start, duration, size } = tree;
  const path = new Set<number>();
  const endOf = (row: number) => start[row]! + Math.max(0, duration[row]!);
  const waiting: { row: number; until: number }[] = [];
  for (let i = 0; i < count; i += size[i]!) waiting.push({ row: i, until: endOf(i) });
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    path.add(next.row);
    const children: number[] = [];
    const last = next.row + size[next.row]!;
    for (let i = next.row + 1; i < last; i += size[i]!)
      if (parent[i] === next.row) children.push(i);
    children.sort((a, b) => endOf(b) - endOf(a));
    let until = next.until;
    for (const child of children) {
      if (endOf(child) > until && start[child]! >= until) continue;
      if (start[child]! >= until) continue;
      waiting.push({ row: child, until: Math.min(until, endOf(child)) });
      until = start[child]!;
    }
  }
  return path;
}
