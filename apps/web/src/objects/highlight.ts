export type Language = 'python' | 'script';

export interface Token {
  readonly kind: 'plain' | 'keyword' | 'text' | 'comment' | 'number' | 'name';
  readonly text: string;
}

const PYTHON_WORDS =
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield';
const SCRIPT_WORDS =
  'as async await break case catch class const continue default delete do else export extends false finally for from function if implements import in instanceof interface let new null of readonly return static super switch this throw true try type typeof undefined var void while yield';

const PYTHON =
  /(?<comment>#[^\n]*)|(?<text>[rbfuRBFU]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?))|(?<number>\b\d[\w.]*)|(?<word>[A-Za-z_]\w*)/g;
const SCRIPT =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>`(?:[^`\\]|\\[\s\S])*`?|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(?<number>\b\d[\w.]*)|(?<word>[A-Za-z_$][\w$]*)/g;

const RULES = {
  python: { pattern: PYTHON, words: new Set(PYTHON_WORDS.split(' ')) },
  script: { pattern: SCRIPT, words: new Set(SCRIPT_WORDS.split(' ')) },
};

/** More than this is shown without colours. */
const CODE_MAX = 200_000;

/** The parts of a code, which together are the code again. */
export function highlighted(code: string, language: Language): Token[] {
  if (code.length > CODE_MAX) return [{ kind: 'plain', text: code }];
  const { pattern, words } = RULES[language];
  const tokens: Token[] = [];
  let end = 0;
  let before = '';
  const plain = (to: number) => {
    if (to > end) tokens.push({ kind: 'plain', text: code.slice(end, to) });
  };
  for (const match of code.matchAll(pattern)) {
    const [text] = match;
    if (text === '') continue;
    const kind = kindOf(match.groups ?? {}, words, before);
    if (match.groups?.['word'] !== undefined) before = text;
    if (kind === 'plain') continue;
    plain(match.index);
    tokens.push({ kind, text });
    end = match.index + text.length;
  }
  plain(code.length);
  return tokens;
}

const NAMING = new Set(['def', 'class', 'function', 'interface', 'type']);

function kindOf(
  { comment, text, number, word }: Readonly<Record<string, string | undefined>>,
  words: ReadonlySet<string>,
  before: string,
): Token['kind'] {
  if (comment !== undefined) return 'comment';
  if (text !== undefined) return 'text';
  if (number !== undefined) return 'number';
  if (word !== undefined && words.has(word)) return 'keyword';
  return NAMING.has(before) ? 'name' : 'plain';
}
