/** Bytes of an item that other text replaces. */
export interface Edit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** What changes a part of an item, from the first character that differs to the last. Undefined when none does. */
export function editOf(offset: number, original: string, text: string): Edit | undefined {
  if (original === text) return undefined;
  const from = sameAtStart(original, text);
  const atEnd = sameAtEnd(original.slice(from), text.slice(from));
  return {
    offset: offset + byteLength(original.slice(0, from)),
    length: byteLength(original.slice(from, original.length - atEnd)),
    text: text.slice(from, text.length - atEnd),
  };
}

/** The index of the character that begins at a byte of the text. */
export function indexAt(text: string, byte: number): number {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, byte)).length;
}

function sameAtStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  // The two halves of a character stay together.
  return at > 0 && isHigh(a.charCodeAt(at - 1)) ? at - 1 : at;
}

function sameAtEnd(a: string, b: string): number {
  let count = 0;
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++;
  return count > 0 && isLow(a.charCodeAt(a.length - count)) ? count - 1 : count;
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;
const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
