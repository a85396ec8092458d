/** A character of UTF-8 has at most three bytes after its first. */
export const MORE_BYTES = 3;

/**
 * The bounds of a part within bytes that begin where it was requested: from the first byte that begins a character to the first
 * after `length` that begins one, so that parts neither overlap nor split a character.
 */
export function partWithin(bytes: Buffer, length: number, isFirst: boolean): [number, number] {
  return [isFirst ? 0 : characterFrom(bytes, 0), characterFrom(bytes, length)];
}

function characterFrom(bytes: Buffer, from: number): number {
  const end = Math.min(from + MORE_BYTES, bytes.length);
  let at = Math.min(from, bytes.length);
  while (at < end && (bytes[at]! & 0b1100_0000) === 0b1000_0000) at++;
  return at;
}
