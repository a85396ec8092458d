/** Markdown as a tree of what this page can show. HTML inside it is text like any other. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly inline: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly Block[][] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly Inline[])[][] }
  | { readonly kind: 'rule' }
  | { readonly kind: 'paragraph'; readonly inline: readonly Inline[] };

export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly inline: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly inline: readonly Inline[] };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6}) +(.*?) *#*$/;
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)]) +/;
const DIVIDER = /^ *\|?(?: *:?-+:? *\|)+ *(?::?-+:?)? *\|? *$/;
/** A list in a list in a list … is cut here. */
const DEPTH_MAX = 8;

export function parseMarkdown(text: string): readonly Block[] {
  return blocksOf(text.replace(/\r\n?/g, '\n').split('\n'), 0);
}

function blocksOf(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    if (line.trim() === '') {
      at++;
      continue;
    }
    const [block, next] = blockAt(lines, at, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

function blockAt(lines: readonly string[], at: number, depth: number): [Block, number] {
  const line = lines[at]!;
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return codeAt(lines, at, fence);
  const [, signs, title] = HEADING.exec(line) ?? [];
  if (signs !== undefined) {
    return [{ kind: 'heading', level: signs.length, inline: parseInline(title!) }, at + 1];
  }
  if (RULE.test(line)) return [{ kind: 'rule' }, at + 1];
  if (depth < DEPTH_MAX && QUOTE.test(line)) {
    const end = endOf(lines, at, (one) => QUOTE.test(one));
    const inner = lines.slice(at, end).map((one) => one.replace(QUOTE, ''));
    return [{ kind: 'quote', blocks: blocksOf(inner, depth + 1) }, end];
  }
  if (depth < DEPTH_MAX && ITEM.test(line)) return listAt(lines, at, depth);
  if (line.includes('|') && DIVIDER.test(lines[at + 1] ?? '')) return tableAt(lines, at);
  const end = endOf(lines, at + 1, (one) => one.trim() !== '' && !startsBlock(one));
  return [{ kind: 'paragraph', inline: parseInline(lines.slice(at, end).join('\n')) }, end];
}

const startsBlock = (line: string) =>
  FENCE.test(line) || HEADING.test(line) || QUOTE.test(line) || ITEM.test(line);

function endOf(lines: readonly string[], from: number, isInside: (line: string) => boolean) {
  let end = from;
  while (end < lines.length && isInside(lines[end]!)) end++;
  return end;
}

function codeAt(lines: readonly string[], at: number, fence: string): [Block, number] {
  const end = endOf(lines, at + 1, (one) => !one.trim().startsWith(fence));
  return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1];
}

function listAt(lines: readonly string[], at: number, depth: number): [Block, number] {
  const [, indent = '', sign = ''] = ITEM.exec(lines[at]!) ?? [];
  const isOrdered = /\d/.test(sign);
  const isItem = (line: string) => {
    const [, ownIndent, ownSign] = ITEM.exec(line) ?? [];
    return ownIndent?.length === indent.length && /\d/.test(ownSign!) === isOrdered;
  };
  const isInside = (line: string) => line.trim() === '' || line.startsWith(`${indent}  `);
  const items: Block[][] = [];
  let next = at;
  while (next < lines.length && isItem(lines[next]!)) {
    const end = endOf(lines, next + 1, isInside);
    const first = lines[next]!.replace(ITEM, '');
    const width = lines[next]!.length - first.length;
    const rest = lines.slice(next + 1, end).map((line) => line.replace(spaces(width), ''));
    items.push(blocksOf([first, ...rest], depth + 1));
    next = end;
  }
  return [{ kind: 'list', isOrdered, items }, next];
}

const spaces = (max: number) => new RegExp(`^ {0,${max}}`);

function tableAt(lines: readonly string[], at: number): [Block, number] {
  const end = endOf(lines, at + 2, (line) => line.includes('|'));
  const rows = [lines[at]!, ...lines.slice(at + 2, end)].map((line) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => parseInline(cell.trim())),
  );
  return [{ kind: 'table', rows }, end];
}

const EM = /^([*_])(?=\S)([^*_\n]{0,500}?\S)\1(?!\w)/;
const LINK = /^!?\[([^[\]\n]{0,500})\]\(([^()\s]{1,2000})(?: +"[^"\n]{0,500}")?\)/;
const ADDRESS = /^https?:\/\/[^\s<>()[\]"'`]+[^\s<>()[\]"'`.,;:!?]/;
const PLAIN = /^[^`*_[!h\\]+/;

/** Only addresses of the web: any other could be a script. */
const isSafe = (href: string) => /^https?:\/\//i.test(href);

export function parseInline(text: string, depth = 0): readonly Inline[] {
  const parts: Inline[] = [];
  let at = 0;
  const push = (part: Inline) => {
    const last = parts.at(-1);
    if (part.kind === 'text' && last?.kind === 'text') {
      parts[parts.length - 1] = { kind: 'text', text: last.text + part.text };
    } else parts.push(part);
  };
  while (at < text.length) {
    const rest = text.slice(at);
    const [part, length] =
      (depth < DEPTH_MAX && markedAt(rest, text[at - 1], depth)) || plainAt(rest);
    push(part);
    at += length;
  }
  return parts;
}

function plainAt(rest: string): [Inline, number] {
  const isEscape = /^\\[!-/:-@[-`{-~]/.test(rest);
  const length = isEscape ? 2 : (PLAIN.exec(rest)?.[0].length ?? 1);
  return [{ kind: 'text', text: rest.slice(isEscape ? 1 : 0, length) }, length];
}

/** Code ends with the same number of signs that it begins with. Without such an end the signs are text. */
function codeOf(rest: string): [Inline, number] {
  const signs = /^`+/.exec(rest)![0];
  let end = rest.indexOf(signs, signs.length);
  while (end !== -1 && rest[end + signs.length] === '`') {
    const next = end + /^`+/.exec(rest.slice(end))![0].length;
    end = rest.indexOf(signs, next);
  }
  if (end === -1) return [{ kind: 'text', text: signs }, signs.length];
  return [{ kind: 'code', text: rest.slice(signs.length, end) }, end + signs.length];
}

function markedAt(
  rest: string,
  before: string | undefined,
  depth: number,
): [Inline, number] | undefined {
  if (rest.startsWith('`')) return codeOf(rest);
  const strong = /^(?:\*\*|__)(?=\S)/.test(rest) ? rest.indexOf(rest.slice(0, 2), 3) : -1;
  if (strong !== -1 && /\S/.test(rest[strong - 1]!)) {
    return [{ kind: 'strong', inline: parseInline(rest.slice(2, strong), depth + 1) }, strong + 2];
  }
  const isInWord = before !== undefined && /\w/.test(before);
  const [em, , emText] = (isInWord ? null : EM.exec(rest)) ?? [];
  if (em !== undefined) {
    return [{ kind: 'em', inline: parseInline(emText!, depth + 1) }, em.length];
  }
  const [link, label, href] = LINK.exec(rest) ?? [];
  if (link !== undefined && isSafe(href!)) {
    const inline = parseInline(label || href!, depth + 1);
    return [{ kind: 'link', href: href!, inline }, link.length];
  }
  const address = isInWord ? undefined : ADDRESS.exec(rest)?.[0];
  if (address !== undefined) {
    return [
      { kind: 'link', href: address, inline: [{ kind: 'text', text: address }] },
      address.length,
    ];
  }
  return undefined;
}
