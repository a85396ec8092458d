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
