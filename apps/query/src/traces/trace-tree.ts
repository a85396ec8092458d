import type { Slices } from '@app/http';
import type { UsageCall } from '../usage/call-usage.js';

/** A call of a trace as ClickHouse returns it, oldest first. */
export interface TraceCall extends UsageCall {
  readonly op_name: string;
  readonly display_name: string;
  readonly status: string;
}

export interface TreeNode {
  readonly call: TraceCall;
  /** The position of the parent in the depth-first order; -1 when it is not in this trace. */
  readonly parent: number;
}

/** Between two pauses. They take about half a millisecond. */
const CALLS_PER_STEP = 1000;

/**
 * The calls in depth-first order, siblings in the given order. A call whose parent is missing is a root, and so is the first
 * call of a circle, so that every call is there exactly once.
 */
export async function depthFirst(
  calls: readonly TraceCall[],
  slices: Pick<Slices, 'next'>,
): Promise<TreeNode[]> {
  const { parents, firstChild, nextSibling } = await relations(calls, slices);
  const nodes: TreeNode[] = [];
  const places = new Int32Array(calls.length).fill(-1);
  const visit = async (root: number) => {
    // A stack instead of recursion: a trace may be deeper than the stack of JavaScript.
    const stack = [root];
    for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
      if (nodes.length % CALLS_PER_STEP === 0) await slices.next();
      const sibling = one === root ? -1 : nextSibling[one]!;
      if (sibling >= 0) stack.push(sibling);
      if (places[one]! >= 0) continue;
      const parent = one === root ? -1 : places[parents[one]!]!;
      places[one] = nodes.push({ call: calls[one]!, parent }) - 1;
      if (firstChild[one]! >= 0) stack.push(firstChild[one]!);
    }
  };
  for (let i = 0; i < calls.length; i++) if (parents[i] === -1) await visit(i);
  // What is left is in a circle.
  for (let i = 0; i < calls.length; i++) if (places[i] === -1) await visit(i);
  return nodes;
}

interface Relations {
  /** Positions in the list of calls; -1 where there is none. */
  readonly parents: Int32Array;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
}

async function relations(
  calls: readonly TraceCall[],
  slices: Pick<Slices, 'next'>,
): Promise<Relations> {
  const positions = new Map<string, number>();
  for (let i = 0; i < calls.length; i++) {
    if (i % CALLS_PER_STEP === 0) await slices.next();
    positions.set(calls[i]!.id, i);
  }
  const none = () => new Int32Array(calls.length).fill(-1);
  const [parents, firstChild, nextSibling] = [none(), none(), none()];
  for (let i = calls.length - 1; i >= 0; i--) {
    if (i % CALLS_PER_STEP === 0) await slices.next();
    const parent = (parents[i] = positions.get(calls[i]!.parent_id) ?? -1);
    if (parent === -1) continue;
    nextSibling[i] = firstChild[parent]!;
    firstChild[parent] = i;
  }
  return { parents, firstChild, nextSibling };
}

/** Numbers texts in the order of their first use. */
export class Dictionary {
  private readonly numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.numbers.size);
    return this.numbers.size - 1;
  }

  get texts(): string[] {
    return [...this.numbers.keys()];
  }
}
