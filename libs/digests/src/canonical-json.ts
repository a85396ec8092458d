import { HeddleError } from '@app/errors';

export interface PrintOptions {
  /** As Python's `sort_keys=True`; digests are computed over sorted keys. */
  readonly sortKeys: boolean;
  /** Returns the text to print in place of a string value; keys are never replaced. */
  readonly replace?: (text: string, depth: number) => string;
  /** Nesting level at which the text is embedded in another JSON text. */
  readonly depth?: number;
}

/** Deepest nesting accepted, counting JSON inside strings. */
const MAX_DEPTH = 200;

export class TooDeepError extends HeddleError {
  readonly code = 'body_too_complex';
}

export const canonicalJson = (json: string): string => printJson(json, { sortKeys: true });

/**
 * Prints JSON text exactly as Python's `json.dumps(value)` does. It works on the text, so integers of any size keep all
 * their digits. The text must be valid JSON.
 */
export function printJson(json: string, options: PrintOptions): string {
  return new Printer(json, options).value(options.depth ?? 0);
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
    private readonly options: PrintOptions,
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
    if (this.options.sortKeys) keys.sort(byCodePoint);
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
    const { replace } = this.options;
    // Most strings need no unescaping, escaping or replacement.
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

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** The pattern has no `u` flag: a character above U+FFFF is escaped as two surrogates, as in Python. */
function quote(text: string): string {
  const escaped = text.replace(
    /[^\x20\x21\x23-\x5b\x5d-\x7e]/g,
    (unit) => SHORT_ESCAPES[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

/** Orders by code point, not by UTF-16 unit: U+FFFD comes before U+1F600. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    if (a.charCodeAt(at) === b.charCodeAt(at)) continue;
    // The units before are equal; if they are high surrogates, the pairs they begin differ.
    const from = at > 0 && isHighSurrogate(a.charCodeAt(at - 1)) ? at - 1 : at;
    return a.codePointAt(from)! - b.codePointAt(from)! || a.codePointAt(at)! - b.codePointAt(at)!;
  }
  return a.length - b.length;
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

function printScalar(token: string): string {
  if (token === 'true' || token === 'false' || token === 'null') return token;
  return /[.eE]/.test(token) ? printFloat(Number(token)) : token === '-0' ? '0' : token;
}

/** Like Python's `repr`: the shortest digits that parse to the same double, without an exponent from 1e-4 up to 1e16. */
function printFloat(value: number): string {
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
