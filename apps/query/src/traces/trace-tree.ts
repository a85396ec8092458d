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

/**
 * The calls in depth-first order, siblings in the given order. A call whose parent is missing is a root, and so is the first
 * call of a circle, so that every call is there exactly once.
 */
export function depthFirst(calls: readonly TraceCall[]): TreeNode[] {
  const ids = new Set(calls.map(({ id }) => id));
  const children = new Map<string, TraceCall[]>();
  const roots: TraceCall[] = [];
  for (const call of calls) {
    if (!ids.has(call.parent_id)) roots.push(call);
    else if (!children.get(call.parent_id)?.push(call)) children.set(call.parent_id, [call]);
  }
  const nodes: TreeNode[] = [];
  const visited = new Set<string>();
  const visit = (root: TraceCall) => {
    // A stack instead of recursion: a trace may be deeper than the stack of JavaScript.
    const stack: TreeNode[] = [{ call: root, parent: -1 }];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (visited.has(node.call.id)) continue;
      visited.add(node.call.id);
      const parent = nodes.push(node) - 1;
      const below = children.get(node.call.id) ?? [];
      for (let i = below.length - 1; i >= 0; i--) stack.push({ call: below[i]!, parent });
    }
  };
  roots.forEach(visit);
  // What is left is in a circle.
  for (const call of calls) if (!visited.has(call.id)) visit(call);
  return nodes;
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
