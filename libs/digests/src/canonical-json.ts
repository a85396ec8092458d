/**
 * JSON text as Python prints it with `json.dumps(value)`, made from the text itself: no number passes through a double
 * unless it is one. The text must be valid JSON.
 */
export interface Printing {
  /** `sort_keys=True`: what digests are made of. */
  readonly sortKeys: boolean;
  /** What to print instead of a string value; keys are never replaced. */
  readonly replace?: (text: string, depth: number) => string;
  /** How deep the text itself already sits in another one. */
  readonly depth?: number;
}

/** Deeper than the containers of a request may be, the text of a string inside it counted in. */
export const MAX_DEPTH = 200;

export class TooDeepError extends Error {
  override readonly name = 'TooDeepError';
}

export const canonicalJson = (json: string): string => printJson(json, { sortKeys: true });

export function printJson(json: string, printing: Printing): string {
  return new Printer(json, printing).value(printing.depth ?? 0);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

class Printer {
  private at = 0;

  constructor(
    private readonly json: string,
    private readonly printing: Printing,
  ) {}

  value(depth: number): string {
    if (depth > MAX_DEPTH) throw new TooDeepError(`nested deeper than ${MAX_DEPTH} levels`);
    this.skipSpace();
    switch (this.json.charCodeAt(this.at)) {
      case OPEN_BRACE:
        return this.object(depth);
      case OPEN_BRACKET:
        return this.array(depth);
      case QUOTE:
        return this.string(depth);
      default:
        return printScalar(this.scalar());
    }
  }

  private object(depth: number): string {
    const members = new Map<string, string>();
    for (this.at++; this.isInside(CLOSE_BRACE); this.skipComma()) {
      const key = unquoted(this.quoted());
      this.skipSpace();
      this.at++;
      members.set(key, this.value(depth + 1));
    }
    this.at++;
    const keys = [...members.keys()];
    if (this.printing.sortKeys) keys.sort(byCodePoint);
    return `{${keys.map((key) => `${quote(key)}: ${members.get(key)!}`).join(', ')}}`;
  }

  private array(depth: number): string {
    const elements: string[] = [];
    for (this.at++; this.isInside(CLOSE_BRACKET); this.skipComma()) {
      elements.push(this.value(depth + 1));
    }
    this.at++;
    return `[${elements.join(', ')}]`;
  }

  private string(depth: number): string {
    const token = this.quoted();
    const { replace } = this.printing;
    // Most strings are printed as they stand: no escape, nothing to escape, nothing to replace.
    if (isPlain(token) && (replace === undefined || !token.includes(':///'))) return token;
    const text = unquoted(token);
    return quote(replace === undefined ? text : replace(text, depth));
  }

  private quoted(): string {
    const start = this.at;
    let end = this.json.indexOf('"', start + 1);
    while (end !== -1 && this.isEscaped(end)) end = this.json.indexOf('"', end + 1);
    this.at = end === -1 ? this.json.length : end + 1;
    return this.json.slice(start, this.at);
  }

  private isEscaped(at: number): boolean {
    let backslashes = 0;
    while (this.json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    return backslashes % 2 === 1;
  }

  private scalar(): string {
    const start = this.at;
    while (this.at < this.json.length && !endsScalar(this.json.charCodeAt(this.at))) this.at++;
    return this.json.slice(start, this.at);
  }

  private isInside(close: number): boolean {
    this.skipSpace();
    return this.at < this.json.length && this.json.charCodeAt(this.at) !== close;
  }

  private skipComma(): void {
    this.skipSpace();
    if (this.json.charCodeAt(this.at) === COMMA) this.at++;
  }

  private skipSpace(): void {
    while (isSpace(this.json.charCodeAt(this.at))) this.at++;
  }
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const endsScalar = (code: number) =>
  code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code);

const PLAIN = /^"[\x20\x21\x23-\x5b\x5d-\x7e]*"$/;
const isPlain = (token: string) => PLAIN.test(token);

function unquoted(token: string): string {
  return isPlain(token) ? token.slice(1, -1) : (JSON.parse(token) as string);
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** Without the u flag: an astral character is escaped as its two halves, as Python does. */
function quote(text: string): string {
  const escaped = text.replace(
    /[^\x20\x21\x23-\x5b\x5d-\x7e]/g,
    (unit) => SHORT[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

/** By code point, not by UTF-16 unit: U+FFFD comes before U+1F600. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    if (a.charCodeAt(at) === b.charCodeAt(at)) continue;
    // Where the halves before are equal and the first of a pair, the pair is what differs.
    const from = at > 0 && isFirstHalf(a.charCodeAt(at - 1)) ? at - 1 : at;
    return a.codePointAt(from)! - b.codePointAt(from)! || a.codePointAt(at)! - b.codePointAt(at)!;
  }
  return a.length - b.length;
}

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

function printScalar(token: string): string {
  if (token === 'true' || token === 'false' || token === 'null') return token;
  return /[.eE]/.test(token) ? printFloat(Number(token)) : token === '-0' ? '0' : token;
}

/** Python's repr: shortest digits that read back as the same double, decimal for exponents from -4 to 15. */
export function printFloat(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? '-Infinity' : 'Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa, power] = Math.abs(value).toExponential().split('e') as [string, string];
  const exponent = Number(power);
  const sign = value < 0 ? '-' : '';
  if (exponent < -4 || exponent >= 16) return sign + mantissa + printExponent(exponent);
  return sign + decimal(mantissa.replace('.', ''), exponent);
}

function printExponent(exponent: number): string {
  return `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function decimal(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${whole}.${digits.slice(exponent + 1) || '0'}`;
}
