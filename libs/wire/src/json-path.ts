import { elementSpans, memberSpans } from './json-spans.js';

/** The unparsed text of the value at a path. In an array a key of digits is an index; in an object it is a key. */
export function textAtPath(json: Buffer, keys: readonly string[]): string | undefined {
  let value: Buffer | undefined = json;
  for (const key of keys) {
    if (value === undefined) return undefined;
    value = valueAt(value, key);
  }
  return value?.toString('utf8');
}

const OPEN_BRACKET = 0x5b;

function valueAt(json: Buffer, key: string): Buffer | undefined {
  const span =
    json[0] === OPEN_BRACKET
      ? /^\d+$/.test(key) && elementSpans(json)[Number(key)]
      : memberSpans(json).get(key);
  return span ? json.subarray(span.start, span.end) : undefined;
}
