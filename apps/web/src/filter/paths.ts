import { membersOf, nodeAt, pathText, stringOf, type JsonNode } from '../call/json-index.js';

/** Paths that occur in payloads, with their values and how often they occur. */
export type PathValues = ReadonlyMap<string, ReadonlyMap<string, number>>;

export const NO_PATHS: PathValues = new Map();

const DEPTH_MAX = 4;
const MEMBERS_MAX = 30;
const PATHS_MAX = 200;
const VALUES_MAX = 50;
const VALUE_LENGTH_MAX = 60;

interface Payload {
  readonly member: string;
  /** May be cut. */
  readonly text: string;
}

/** What the payloads of a list contain, so that the filter can complete it. */
export function pathsIn(payloads: readonly Payload[]): PathValues {
  const paths = new Map<string, Map<string, number>>();
  const add = (text: string, keys: readonly string[], node: JsonNode): void => {
    if (node.kind === 'object') {
      if (keys.length > DEPTH_MAX) return;
      for (const { key, node: inner } of membersOf(text, node, MEMBERS_MAX)) {
        add(text, [...keys, key], inner);
      }
    } else if (node.kind !== 'array' && keys.length > 1 && !node.isCut) {
      count(paths, pathText(keys), valueOf(text, node));
    }
  };
  for (const { member, text } of payloads) {
    const root = nodeAt(text, 0);
    if (root !== undefined) add(text, [member], root);
  }
  return paths;
}

const valueOf = (text: string, node: JsonNode): string =>
  node.kind === 'string' ? stringOf(text, node) : text.slice(node.start, node.end);

function count(paths: Map<string, Map<string, number>>, path: string, value: string): void {
  const values = paths.get(path) ?? new Map<string, number>();
  if (!paths.has(path) && paths.size < PATHS_MAX) paths.set(path, values);
  const isNew = !values.has(value);
  if (value.length > VALUE_LENGTH_MAX || (isNew && values.size >= VALUES_MAX)) return;
  values.set(value, (values.get(value) ?? 0) + 1);
}
