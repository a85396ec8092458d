const SLOTS = 1024;
const KEPT_MAX = 48;

interface Known {
  readonly bytes: Buffer;
  readonly text: string;
}

/** The same few keys come in every record; making their text anew each time cost more than finding it. */
const slots: (Known | undefined)[] = new Array<Known | undefined>(SLOTS);

/** The text of the key whose quotes are at `start` and before `end`. */
export function keyText(json: Buffer, start: number, end: number): string {
  const length = end - start - 2;
  if (length > KEPT_MAX) return unescaped(json, start, end);
  let hash = length;
  for (let at = start + 1; at < end - 1; at++) hash = (Math.imul(hash, 31) + json[at]!) | 0;
  const slot = hash & (SLOTS - 1);
  const known = slots[slot];
  if (known !== undefined && isSame(known.bytes, json, start + 1, length)) return known.text;
  const text = unescaped(json, start, end);
  slots[slot] = { bytes: Buffer.from(json.subarray(start + 1, end - 1)), text };
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
