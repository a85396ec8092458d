import { isSpace, skipSpace } from './json-shape.js';
import { keyText } from './key-text.js';

/**
 * Where the parts of a JSON text stand, without parsing them: payload text is copied, never printed anew, so that
 * `1.0`, thirty digits and escaped surrogates come back as they were sent. The text must be valid JSON (ingest
 * checks that first); on other text the result is meaningless but the scan still ends.
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
/** Most strings of an envelope are shorter than this. */
const NEAR = 48;

/** Given where a value begins, says where it ends. */
export type Visit = (start: number) => number;

/**
 * Walks the object that begins at `at`; for every member, `visit` reads the value and returns its end. Every byte is
 * looked at once, however deep the visitors go. Returns one past the closing brace.
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

/** The same for the elements of an array. */
export function walkElements(json: Buffer, at: number, visit: Visit): number {
  let next = skipSpace(json, at + 1);
  while (next < json.length && json[next] !== CLOSE_BRACKET) next = afterComma(json, visit(next));
  return next + 1;
}

export const isObjectAt = (json: Buffer, at: number): boolean => json[at] === OPEN_BRACE;
export const isArrayAt = (json: Buffer, at: number): boolean => json[at] === OPEN_BRACKET;

/**
 * The members of the object that begins at or after `from`. Keys are unescaped, and of a repeated key the last
 * member counts: exactly what JSON.parse sees, so nobody can show two readers two different envelopes.
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

/** The elements of the array that begins at or after `from`. */
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

/** One past the value that begins at `start`. */
export function endOfValue(json: Buffer, start: number): number {
  const first = json[start];
  if (first === QUOTE) return endOfString(json, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return extentOfContainer(json, start).end;
  let at = start + 1;
  while (at < json.length && !endsScalar(json[at]!)) at++;
  return at;
}

/** How far a value reaches: along the text, and into its containers. */
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

/** One past the closing quote. Short strings are walked; in long ones the native search is six times quicker. */
export function endOfString(json: Buffer, start: number): number {
  const near = Math.min(start + NEAR, json.length);
  for (let at = start + 1; at < near; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  return farEndOfString(json, start);
}

function farEndOfString(json: Buffer, start: number): number {
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
