import { elementSpans, memberSpans } from './json-spans.js';

/** The text at a path, as it was written. A number is a place in a list, a key anywhere else. */
export function textAtPath(json: Buffer, keys: readonly string[]): string | undefined {
  let value: Buffer | undefined = json;
  for (const key of keys) {
    if (value === undefined) return undefined;
    value = inside(value, key);
  }
  return value?.toString('utf8');
}

const OPEN_BRACKET = 0x5b;

function inside(json: Buffer, key: string): Buffer | undefined {
  const span =
    json[0] === OPEN_BRACKET
      ? /^\d+$/.test(key) && elementSpans(json)[Number(key)]
      : memberSpans(json).get(key);
  return span ? json.subarray(span.start, span.end) : undefined;
}
