import { membersOf, nodeAt, pathText, type JsonNode } from '../call/json-index.js';

/** A value that differs, as the exact text that was sent. Undefined on the side that has no such value. */
interface Difference {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface JsonDiff {
  readonly differences: readonly Difference[];
  /** There are more differences than these. */
  readonly isCut: boolean;
}

const DIFFERENCES_MAX = 500;
const DEPTH_MAX = 100;
const MEMBERS_MAX = 5_000;

interface Side {
  readonly text: string;
  readonly node: JsonNode;
}

/** The values that differ between two JSON texts, by path. Lists are compared place by place. */
export function jsonDiff(before: string, after: string, max = DIFFERENCES_MAX): JsonDiff {
  const differences: Difference[] = [];
  const add = (keys: readonly string[], a: Side | undefined, b: Side | undefined) =>
    differences.push({ path: pathText(keys), before: textOf(a), after: textOf(b) });

  const compare = (a: Side | undefined, b: Side | undefined, keys: readonly string[]): void => {
    if (differences.length > max || textOf(a) === textOf(b)) return;
    if (!areAlike(a, b) || keys.length >= DEPTH_MAX) {
      add(keys, a, b);
      return;
    }
    const [left, right] = [membersBy(a), membersBy(b)];
    for (const key of new Set([...left.keys(), ...right.keys()]))
      compare(left.get(key), right.get(key), [...keys, key]);
  };
  compare(sideOf(before), sideOf(after), []);
  return { differences: differences.slice(0, max), isCut: differences.length > max };
}

function sideOf(text: string): Side | undefined {
  const node = nodeAt(text, 0);
  return node && { text, node };
}

const textOf = (side: Side | undefined) => side && side.text.slice(side.node.start, side.node.end);

const isContainer = ({ kind }: JsonNode) => kind === 'object' || kind === 'array';

const areAlike = (a: Side | undefined, b: Side | undefined): a is Side =>
  a !== undefined && b !== undefined && a.node.kind === b.node.kind && isContainer(a.node);

function membersBy(side: Side | undefined): ReadonlyMap<string, Side> {
  if (side === undefined) return new Map();
  const members = membersOf(side.text, side.node, MEMBERS_MAX);
  return new Map(members.map(({ key, node }) => [key, { text: side.text, node }]));
}
