/** A JSON value with its original text. Of members with equal names the last one counts. */
export type Node = { readonly text: string } & (
  | { readonly type: 'object'; readonly members: ReadonlyMap<string, Node> }
  | { readonly type: 'list'; readonly items: readonly Node[] }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'number' | 'true' | 'false' | 'null' }
);

/** Parses valid JSON in the simplest way. */
export function readNode(json: string): Node {
  let at = 0;
  const space = () => {
    while (/\s/.test(json[at] ?? '')) at++;
  };
  const expect = (character: string) => {
    if (json[at] !== character) throw new Error(`no ${character} at ${at} in ${json}`);
    at++;
  };
  const read = (): Node => {
    space();
    const start = at;
    const made = readValue();
    const node = { ...made, text: json.slice(start, at) } as Node;
    space();
    return node;
  };
  const readValue = () => {
    if (json[at] === '{') return readObject();
    if (json[at] === '[') return readList();
    if (json[at] === '"') return { type: 'string', value: readString() };
    const [word] = /^[^\s,\]}]+/.exec(json.slice(at))!;
    at += word.length;
    return { type: ['true', 'false', 'null'].includes(word) ? word : 'number' };
  };
  const readString = (): string => {
    const [text] = /^"(?:[^"\\]|\\[^])*"/.exec(json.slice(at))!;
    at += text.length;
    return (JSON.parse(text) as string).toWellFormed();
  };
  const readObject = () => {
    const members = new Map<string, Node>();
    expect('{');
    space();
    while (json[at] !== '}') {
      space();
      const name = readString();
      space();
      expect(':');
      members.set(name, read());
      if (json[at] === ',') at++;
    }
    expect('}');
    return { type: 'object', members };
  };
  const readList = () => {
    const items: Node[] = [];
    expect('[');
    space();
    while (json[at] !== ']') {
      items.push(read());
      if (json[at] === ',') at++;
    }
    expect(']');
    return { type: 'list', items };
  };
  return read();
}

/** The value at a path: by index in lists, by name in objects. */
export function nodeAt(node: Node | undefined, keys: readonly string[]): Node | undefined {
  const [key, ...rest] = keys;
  if (key === undefined || node === undefined) return node;
  if (node.type === 'object') return nodeAt(node.members.get(key), rest);
  if (node.type === 'list' && /^(0|[1-9]\d*)$/.test(key))
    return nodeAt(node.items[Number(key)], rest);
  return undefined;
}
