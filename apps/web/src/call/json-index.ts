/** A value inside a JSON text, by its place. The text is never parsed as a whole: numbers keep all their digits. */
export interface JsonNode {
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'word';
  readonly start: number;
  /** After the last character. */
  readonly end: number;
  /** The text ends before the value does. */
  readonly isCut: boolean;
}

export interface JsonMember {
  /** The key, or the place in a list. */
  readonly key: string;
  readonly node: JsonNode;
}

const SPACE = /\s*/y;
const NUMBER_OR_WORD = /[^\s,\]}]*/y;

function skipSpace(text: string, at: number): number {
  if (at >= text.length) return text.length;
  SPACE.lastIndex = at;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

/** The value that begins here, after white space; undefined at the end of the text. */
export function nodeAt(text: string, from: number): JsonNode | undefined {
  const start = skipSpace(text, from);
  if (start >= text.length) return undefined;
  const first = text[start]!;
  if (first === '{' || first === '[') {
    const end = endOfContainer(text, start);
    const kind = first === '{' ? 'object' : 'array';
    return { kind, start, end: end ?? text.length, isCut: end === undefined };
  }
  if (first === '"') {
    const end = endOfString(text, start);
    return { kind: 'string', start, end: end ?? text.length, isCut: end === undefined };
  }
  NUMBER_OR_WORD.lastIndex = start;
  NUMBER_OR_WORD.exec(text);
  const end = Math.max(start + 1, NUMBER_OR_WORD.lastIndex);
  return { kind: /[-\d]/.test(first) ? 'number' : 'word', start, end, isCut: false };
}

/** Undefined when the text ends before. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return undefined;
}

const QUOTE = 34;
const [OPEN_OBJECT, CLOSE_OBJECT] = [123, 125];
const [OPEN_LIST, CLOSE_LIST] = [91, 93];

function endOfContainer(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
    else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return at + 1;
  }
  return undefined;
}

/** The members of an object or list, from the place `from`, at most `max` of them. */
export function membersOf(text: string, node: JsonNode, max = Infinity, from = 0): JsonMember[] {
  const members: JsonMember[] = [];
  if (node.kind !== 'object' && node.kind !== 'array') return members;
  let at = node.start + 1;
  for (let place = 0; members.length < max; place++) {
    at = skipSpace(text, at);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    if (at >= node.end || text[at] === '}' || text[at] === ']') break;
    let key: JsonNode | undefined;
    if (node.kind === 'object') {
      const end = endOfString(text, at);
      if (text[at] !== '"' || end === undefined) break;
      key = { kind: 'string', start: at, end, isCut: false };
      at = skipSpace(text, end) + 1;
    }
    const value = nodeAt(text, at);
    if (value === undefined) break;
    if (place >= from) {
      members.push({ key: key === undefined ? String(place) : stringOf(text, key), node: value });
    }
    at = value.end;
  }
  return members;
}

/** The characters of a string. Of a string that is cut, those that are there. */
export function stringOf(text: string, { start, end, isCut }: JsonNode, max = Infinity): string {
  const inner = text.slice(start + 1, Math.min(end - (isCut ? 0 : 1), start + 1 + max));
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch {
    // The cut may be inside an escape.
    return inner
      .replace(/\\(u[\da-f]{0,3})?$/i, '')
      .replace(/\\n/g, '\n')
      .replace(/\\"/g, '"');
  }
}

/** The node at a path of keys. */
export function nodeOfPath(text: string, keys: readonly string[]): JsonNode | undefined {
  return keys.reduce<JsonNode | undefined>(
    (node, key) => {
      if (node === undefined) return undefined;
      const members = membersOf(text, node);
      return members.findLast((member) => member.key === key)?.node;
    },
    nodeAt(text, 0),
  );
}

/** A path of the query language: dots inside a key are escaped. */
export const pathText = (keys: readonly string[]): string =>
  keys.map((key) => key.replace(/[.\\]/g, '\\$&')).join('.');

/** The keys of a path of the query language. */
export function keysOfPath(path: string): readonly string[] {
  const keys = [''];
  for (let at = 0; at < path.length; at++) {
    if (path[at] === '.') keys.push('');
    else keys[keys.length - 1] += path[at] === '\\' ? (path[++at] ?? '') : path[at]!;
  }
  return keys;
}
