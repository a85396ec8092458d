import { isSpace, skipSpace } from './json-shape.js';

/**
 * The byte range of a value in a JSON text. Payloads are copied by range and never re-serialised, so that `1.0`,
 * thirty-digit integers and escaped surrogates are returned exactly as they were sent. The text must be valid JSON,
 * which ingest checks first. On other text the result is meaningless, but the scan still ends.
 */
export interface Span {
  readonly start: number;
  /** One past the last byte. */
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** Most strings outside payloads are shorter than this. */
const SHORT_STRING_BYTES = 48;

/** Reads the value that starts at `start` and returns its end. */
export type Visit = (start: number) => number;

/**
 * Walks the object that starts at `at` and calls `visit` for every member; `visit` reads the value and returns its end.
 * Every byte is read once, however deep the visitors go. Returns one past the closing brace.
 */
export function walkMembers(
  json: Buffer,
  at: number,
  visit: (key: string, start: number, keyStart: number) => number,
): number {
  let next = skipSpace(json, at + 1);
  while (next < json.length && json[next] !== CLOSE_BRACE) {
    const keyEnd = endOfString(json, next);
    const key = keyText(json, next, keyEnd);
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    next = afterComma(json, visit(key, start, next));
  }
  return next + 1;
}

/** Walks the elements of the array that starts at `at`, like `walkMembers`. */
export function walkElements(json: Buffer, at: number, visit: Visit): number {
  let next = skipSpace(json, at + 1);
  while (next < json.length && json[next] !== CLOSE_BRACKET) next = afterComma(json, visit(next));
  return next + 1;
}

export const isObjectAt = (json: Buffer, at: number): boolean => json[at] === OPEN_BRACE;
export const isArrayAt = (json: Buffer, at: number): boolean => json[at] === OPEN_BRACKET;

/**
 * The members of the object that starts at or after `from`. Keys are unescaped, and the last of repeated keys wins, as in
 * JSON.parse. So no request can mean one thing to this reader and another to a parser.
 */
export function memberSpans(json: Buffer, from = 0): Map<string, Span> {
  const members = new Map<string, Span>();
  const at = skipSpace(json, from);
  if (!isObjectAt(json, at)) return members;
  walkMembers(json, at, (key, start) => {
    const end = endOfValue(json, start);
    members.set(key, { start, end });
    return end;
  });
  return members;
}

/** The elements of the array that starts at or after `from`. */
export function elementSpans(json: Buffer, from = 0): Span[] {
  const elements: Span[] = [];
  const at = skipSpace(json, from);
  if (!isArrayAt(json, at)) return elements;
  walkElements(json, at, (start) => {
    const end = endOfValue(json, start);
    elements.push({ start, end });
    return end;
  });
  return elements;
}

function afterComma(json: Buffer, end: number): number {
  const at = skipSpace(json, end);
  return json[at] === COMMA ? skipSpace(json, at + 1) : at;
}

/** One past the value that starts at `start`. */
export function endOfValue(json: Buffer, start: number): number {
  const first = json[start];
  if (first === QUOTE) return endOfString(json, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return extentOfContainer(json, start).end;
  let at = start + 1;
  while (at < json.length && !endsScalar(json[at]!)) at++;
  return at;
}

/** Where a value ends and how deeply it is nested. */
export interface Extent {
  readonly end: number;
  /** Levels of nesting; 0 for a scalar. */
  readonly depth: number;
}

export function extentOfValue(json: Buffer, start: number): Extent {
  const isContainer = isObjectAt(json, start) || isArrayAt(json, start);
  return isContainer ? extentOfContainer(json, start) : { end: endOfValue(json, start), depth: 0 };
}

function extentOfContainer(json: Buffer, start: number): Extent {
  let depth = 0;
  let deepest = 0;
  let at = start;
  while (at < json.length) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      at = endOfString(json, at);
      continue;
    }
    at++;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > deepest) deepest = depth;
    } else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) break;
  }
  return { end: at, depth: deepest };
}

/** One past the closing quote. A short string is scanned here; for a long one `indexOf` is six times faster. */
export function endOfString(json: Buffer, start: number): number {
  const limit = Math.min(start + SHORT_STRING_BYTES, json.length);
  for (let at = start + 1; at < limit; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  return endOfLongString(json, start);
}

function endOfLongString(json: Buffer, start: number): number {
  let quote = json.indexOf(QUOTE, start + 1);
  while (quote !== -1 && isEscaped(json, quote)) quote = json.indexOf(QUOTE, quote + 1);
  return quote === -1 ? json.length : quote + 1;
}

function isEscaped(json: Buffer, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

const endsScalar = (byte: number) =>
  byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte);

const CACHE_SIZE = 1024;
const CACHED_KEY_MAX_BYTES = 48;

interface CachedKey {
  readonly bytes: Buffer;
  readonly text: string;
}

/** Every record has the same few keys; a cache hit is cheaper than decoding the key again. */
const cache: (CachedKey | undefined)[] = new Array<CachedKey | undefined>(CACHE_SIZE);

/** The text of the key whose opening quote is at `start` and whose closing quote is at `end - 1`. */
export function keyText(json: Buffer, start: number, end: number): string {
  const length = end - start - 2;
  if (length > CACHED_KEY_MAX_BYTES) return unescaped(json, start, end);
  let hash = length;
  for (let at = start + 1; at < end - 1; at++) hash = (Math.imul(hash, 31) + json[at]!) | 0;
  const slot = hash & (CACHE_SIZE - 1);
  const cached = cache[slot];
  if (cached !== undefined && isSame(cached.bytes, json, start + 1, length)) return cached.text;
  const text = unescaped(json, start, end);
  cache[slot] = { bytes: Buffer.from(json.subarray(start + 1, end - 1)), text };
  return text;
}

function isSame(bytes: Buffer, json: Buffer, at: number, length: number): boolean {
  if (bytes.length !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[i] !== json[at + i]) return false;
  return true;
}

const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/;

function unescaped(json: Buffer, start: number, end: number): string {
  const plain = json.toString('latin1', start + 1, end - 1);
  if (PLAIN.test(plain)) return plain;
  return String(JSON.parse(json.toString('utf8', start, end)));
}

/** The JSON text of one value, as bytes. */
export class JsonText {
  /** `knownDepth` saves a second scan when the caller has already measured the depth. */
  constructor(
    readonly bytes: Buffer,
    private readonly knownDepth?: number,
  ) {}

  /** Levels of nesting; 0 for a scalar. */
  get depth(): number {
    return this.knownDepth ?? extentOfValue(this.bytes, 0).depth;
  }

  get isObject(): boolean {
    return this.bytes[0] === 0x7b;
  }

  get isNull(): boolean {
    return this.bytes.length === 4 && this.bytes[0] === 0x6e;
  }

  toString(): string {
    return this.bytes.toString('utf8');
  }
}
