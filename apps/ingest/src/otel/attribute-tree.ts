import { PAYLOAD_DEPTH_MAX } from '@app/contracts';
import { requireJsonBody } from '@app/http';
import { JsonText, memberSpans } from '@app/wire';
import { SpanError, type Attributes, type AttributeValue } from './span.js';

/** Deeper keys than this are no attribute names. */
const MAX_SEGMENTS = 64;
/** Levels around a tree in the record of a call: `otel_dump.events[0].attributes`. */
const LEVELS_AROUND = 4;

type Node = AttributeValue | Branch;
class Branch extends Map<string, Node> {}

/**
 * The attributes of a span as the tree that their dotted names describe: `llm.0.role` is the role of the first element
 * of the list `llm`. A text that is JSON counts as what it says, and goes on as the very text it is. When an attribute has a
 * value and is also the parent of others, the others count: instrumentations write both forms of one message. The whole span
 * keeps the value, under its dotted name.
 */
export class AttributeTree {
  private readonly root = new Branch();
  /** The values of attributes that are also parents, by their dotted names. */
  private readonly ofParents = new Map<string, AttributeValue>();

  constructor(attributes: Attributes) {
    for (const [name, value] of attributes) this.put(name, value);
  }

  /** What stands at a dotted path, if anything does. */
  at(path: string): AttributeValue | undefined {
    let node: Node | undefined = this.root;
    for (const key of path.split('.')) node = childOf(node, key);
    return node === undefined ? undefined : asValue(node);
  }

  /** The members of the object at a path; none when there is no object. */
  membersAt(path: string): Attributes {
    const found = this.at(path);
    const branch = found === undefined ? undefined : branchOf(found);
    return new Map([...(branch ?? [])].map(([key, node]) => [key, asValue(node)]));
  }

  whole(): AttributeValue {
    return asValue(this.root);
  }

  /** The whole tree, and what has no place in it. */
  everything(): AttributeValue {
    const whole = this.whole();
    return whole instanceof Map && this.ofParents.size > 0
      ? new Map([...(whole as Attributes), ...this.ofParents])
      : whole;
  }

  private put(name: string, given: AttributeValue): void {
    const path = name.split('.');
    if (path.length > MAX_SEGMENTS) throw new SpanError(`the attribute ${shown(name)} is too deep`);
    const value = parsed(given, PAYLOAD_DEPTH_MAX - LEVELS_AROUND - path.length);
    const last = path.pop()!;
    let branch = this.root;
    for (const [i, key] of path.entries()) {
      branch = this.branchAt(branch, key, () => path.slice(0, i + 1).join('.'));
    }
    const before = branch.get(last);
    if (!(before instanceof Branch)) return void branch.set(last, value);
    const members = branchOf(value);
    if (members === undefined) this.ofParents.set(name, value);
    for (const [key, member] of members ?? []) if (!before.has(key)) before.set(key, member);
  }

  private branchAt(parent: Branch, key: string, nameOf: () => string): Branch {
    const found = parent.get(key);
    if (found instanceof Branch) return found;
    const members = found === undefined ? undefined : branchOf(found);
    if (found !== undefined && members === undefined) this.ofParents.set(nameOf(), found);
    const branch = members ?? new Branch();
    parent.set(key, branch);
    return branch;
  }
}

/** An object inside a value, member by member; undefined for anything that has no members. */
function branchOf(value: AttributeValue): Branch | undefined {
  if (value instanceof Map) return new Branch(value);
  if (!(value instanceof JsonText) || !value.isObject) return undefined;
  const members = [...memberSpans(value.bytes)];
  return new Branch(
    members.map(([key, { start, end }]) => [key, new JsonText(value.bytes.subarray(start, end))]),
  );
}

function childOf(node: Node | undefined, key: string): Node | undefined {
  if (node instanceof Branch) return node.get(key);
  if (Array.isArray(node)) return (node as readonly AttributeValue[])[Number(key)];
  return node === undefined ? undefined : branchOf(node)?.get(key);
}

/** A branch whose keys are 0, 1, 2 … is a list. */
function asValue(node: Node): AttributeValue {
  if (!(node instanceof Branch)) return node;
  const entries = [...node].map(([key, child]) => [key, asValue(child)] as const);
  const isList = entries.length > 0 && entries.every((_, index) => node.has(String(index)));
  if (!isList) return new Map(entries);
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, child]) => child);
}

/** JSON inside a text is kept as its text: digits and spaces survive. What is too deep to be read stays a text. */
function parsed(value: AttributeValue, maxDepth: number): AttributeValue {
  if (typeof value !== 'string' || !/^\s*[[{"\-\dtfn]/.test(value)) return value;
  const json = Buffer.from(value.trim());
  try {
    requireJsonBody(json, { maxDepth });
  } catch {
    return value; // a text like any other
  }
  return new JsonText(json);
}

const shown = (name: string) => JSON.stringify(name.slice(0, 80));
