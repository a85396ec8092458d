import {
  contains,
  field,
  freeText,
  isOpName,
  literal,
  opNamed,
  pathOf,
  type Expr,
  type Literal,
} from './filter-expr.js';

/** Why a filter cannot be read, and where. */
export class FilterError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
    this.name = 'FilterError';
  }
}

type Kind = 'word' | 'text' | 'number' | 'sign' | 'json' | 'end';

interface Token {
  readonly kind: Kind;
  readonly text: string;
  readonly at: number;
}

const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?:ms|s|min|h)?(?![\w.])/i;
const WORD = /^[A-Za-z_][\w.\-\\[\]*/:@]*/;
const TEXT = /^"(?:[^"\\]|\\.)*"/;
const SIGN = /^(?:!=|!~|>=|<=|[=><~(),])/;

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };
const COMPARISONS: Readonly<Record<string, string>> = {
  '>': '$gt',
  '>=': '$gte',
  '<': '$lt',
  '<=': '$lte',
};
const CONSTANTS: ReadonlyMap<string, Literal> = new Map<string, Literal>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const DEPTH_MAX = 60;

/**
 * Reads `status = error and latency > 2s and inputs.model ~ "gpt" and not user in (ann, bob) and "free text"`. An
 * expression of the query language in braces is part of the text as it is. Empty text is no filter.
 */
export function parseFilter(text: string): Expr | undefined {
  const tokens = tokensOf(text);
  return tokens.length === 1 ? undefined : new Parser(tokens).whole();
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += /^\s*/.exec(text.slice(at))![0].length;
    if (at >= text.length) break;
    const token = tokenAt(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  return [...tokens, { kind: 'end', text: '', at }];
}

function tokenAt(text: string, at: number): Token {
  const rest = text.slice(at);
  if (rest.startsWith('{')) return { kind: 'json', text: jsonAt(rest, at), at };
  const patterns: readonly (readonly [Kind, RegExp])[] = [
    ['text', TEXT],
    ['number', NUMBER],
    ['word', WORD],
    ['sign', SIGN],
  ];
  for (const [kind, pattern] of patterns) {
    const found = pattern.exec(rest)?.[0];
    if (found !== undefined) return { kind, text: found, at };
  }
  if (rest.startsWith('"')) throw new FilterError('This text has no closing quote.', at);
  throw new FilterError(`${JSON.stringify(rest[0])} has no meaning here.`, at);
}

/** The JSON object at the start of the text. */
function jsonAt(text: string, at: number): string {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') i += TEXT.exec(text.slice(i))?.[0].length ?? text.length;
    if (text[i] === '{') depth++;
    if (text[i] === '}' && --depth === 0) return text.slice(0, i + 1);
  }
  throw new FilterError('This brace is not closed.', at);
}

class Parser {
  private next = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Expr {
    const expr = this.any();
    const { kind, text, at } = this.peek();
    if (kind !== 'end') throw new FilterError(`"and" or "or" is missing before ${text}.`, at);
    return expr;
  }

  private any(): Expr {
    const first = this.all();
    if (!this.isWord('or')) return first;
    const parts = [first];
    while (this.takeWord('or')) parts.push(this.all());
    return { $or: parts };
  }

  private all(): Expr {
    const first = this.one();
    if (!this.isWord('and')) return first;
    const parts = [first];
    while (this.takeWord('and')) parts.push(this.one());
    return { $and: parts };
  }

  private one(): Expr {
    const token = this.peek();
    if (++this.depth > DEPTH_MAX) throw new FilterError('This is nested too deeply.', token.at);
    try {
      if (this.takeWord('not')) return { $not: [this.one()] };
      return this.primary(this.take());
    } finally {
      this.depth--;
    }
  }

  private primary(token: Token): Expr {
    if (token.kind === 'sign' && token.text === '(') {
      const inner = this.any();
      this.takeSign(')');
      return inner;
    }
    if (token.kind === 'json') return jsonOf(token);
    if (token.kind === 'text') return freeText(textOf(token));
    if (token.kind === 'word') return this.condition(token);
    throw new FilterError('A field or a quoted text is expected here.', token.at);
  }

  private condition({ text }: Token): Expr {
    const path = pathOf(text);
    if (this.takeWord('in')) return isIn(text, this.list());
    const sign = this.take();
    if (sign.kind !== 'sign') {
      throw new FilterError(
        `A comparison is expected after ${text}: = != > >= < <= ~ or in.`,
        sign.at,
      );
    }
    if (sign.text === '~' || sign.text === '!~') {
      const found = contains(path, String(this.value()));
      return sign.text === '~' ? found : { $not: [found] };
    }
    if (sign.text === '=') return isEqual(text, this.value());
    if (sign.text === '!=') return { $not: [isEqual(text, this.value())] };
    const operator = COMPARISONS[sign.text];
    if (operator === undefined) throw new FilterError(`${sign.text} is no comparison.`, sign.at);
    return { [operator]: [field(path), literal(this.value())] };
  }

  private list(): Literal[] {
    this.takeSign('(');
    const values = [this.value()];
    while (this.peek().text === ',') {
      this.take();
      values.push(this.value());
    }
    this.takeSign(')');
    return values;
  }

  private value(): Literal {
    const token = this.take();
    if (token.kind === 'text') return textOf(token);
    if (token.kind === 'number') return numberOf(token.text);
    if (token.kind !== 'word') throw new FilterError('A value is expected here.', token.at);
    const constant = CONSTANTS.get(token.text);
    return constant === undefined ? token.text : constant;
  }

  private peek(): Token {
    return this.tokens[Math.min(this.next, this.tokens.length - 1)]!;
  }

  private take(): Token {
    const token = this.peek();
    this.next++;
    return token;
  }

  private isWord(word: string): boolean {
    const { kind, text } = this.peek();
    return kind === 'word' && text.toLowerCase() === word;
  }

  private takeWord(word: string): boolean {
    if (!this.isWord(word)) return false;
    this.next++;
    return true;
  }

  private takeSign(sign: string): void {
    const { kind, text, at } = this.take();
    if (kind !== 'sign' || text !== sign) throw new FilterError(`${sign} is expected here.`, at);
  }
}

/** Only the short name `op` compares names of ops; `op_name` is the field as it is stored. */
const isEqual = (name: string, value: Literal): Expr =>
  name === 'op' && isOpName(value)
    ? opNamed(value)
    : { $eq: [field(pathOf(name)), literal(value)] };

function isIn(name: string, values: readonly Literal[]): Expr {
  if (name !== 'op' || !values.some(isOpName)) {
    return { $in: [field(pathOf(name)), values.map(literal)] };
  }
  const any = values.map((value) => isEqual(name, value));
  return any.length === 1 ? any[0]! : { $or: any };
}

function jsonOf({ text, at }: Token): Expr {
  try {
    return JSON.parse(text) as Expr;
  } catch (error) {
    throw new FilterError(`This is not JSON: ${(error as Error).message}.`, at);
  }
}

function textOf({ text, at }: Token): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new FilterError('This text has an escape that does not exist.', at);
  }
}

function numberOf(text: string): number {
  const [, digits = text, unit] = /^(.*?)(ms|s|min|h)?$/i.exec(text) ?? [];
  const factor = unit === undefined ? 1 : UNITS_MS[unit.toLowerCase()]!;
  return Number(digits) * factor;
}
