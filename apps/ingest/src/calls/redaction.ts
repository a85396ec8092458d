import type { IngestConfig } from '@app/config';
import type { NewFact } from '@app/events';
import { endOfString, endOfValue, keyText, skipSpace, walkMembers, type Span } from '@app/wire';

const REDACTED = Buffer.from('"REDACTED"');
/** The fields in which programs leave credentials. Outputs are stored unchanged. */
const PARTS: ReadonlySet<string> = new Set(['inputs', 'attributes', 'otel_dump']);
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** Bounds the keys that are cached, and the length of each. */
const KNOWN_KEYS_MAX = 1024;
const KNOWN_KEY_MAX_LENGTH = 64;

/**
 * Replaces string values whose key is a credential's name, before anything is stored. Names are compared without case,
 * `_` and `-`. A name that begins with `*` matches every key with that suffix.
 */
export class Redaction {
  private readonly names: ReadonlySet<string>;
  private readonly suffixes: readonly string[];
  /** A key with fewer bytes matches no name. */
  private readonly shortest: number;
  /** The bytes that a matching key can end with: one lookup excludes most keys. */
  private readonly lastBytes = new Uint8Array(256).fill(1, 0x80);
  /** Whether a key matches. Every record has the same few keys. */
  private readonly known = new Map<string, boolean>();

  constructor({ redactKeys }: Pick<IngestConfig, 'redactKeys'>) {
    const plain = redactKeys.map((name) => ({
      isSuffix: name.startsWith('*'),
      name: normal(name.replace(/^\*/, '')),
    }));
    this.names = new Set(plain.filter(({ isSuffix }) => !isSuffix).map(({ name }) => name));
    this.suffixes = plain.filter(({ isSuffix }) => isSuffix).map(({ name }) => name);
    this.shortest = Math.min(...plain.map(({ name }) => name.length));
    for (const { name } of plain) {
      const last = name.at(-1) ?? '';
      for (const byte of Buffer.from(`${last}${last.toUpperCase()}_-`)) this.lastBytes[byte] = 1;
    }
  }

  /** Returns the same fact when there is nothing to replace. `secrets` saves a scan when they are known already. */
  redact(fact: NewFact, secrets?: readonly Span[]): NewFact {
    if (fact.kind !== 'start' && fact.kind !== 'complete' && fact.kind !== 'rejected') return fact;
    if (this.names.size + this.suffixes.length === 0) return fact;
    const found = secrets ?? this.secretsIn(fact.item);
    if (found.length === 0) return fact;
    const item = replaced(fact.item, fact.kind === 'rejected' ? found : inParts(fact.item, found));
    return { ...fact, item };
  }

  /** The same for all of a JSON text. */
  redactJson(json: Buffer): Buffer {
    return this.names.size + this.suffixes.length === 0
      ? json
      : replaced(json, this.secretsIn(json));
  }

  /** The value that starts at `value` when it is a string to replace. Its key has its quotes at `start` and `end - 1`. */
  secretAt(json: Buffer, start: number, end: number, value: number): Span | undefined {
    if (json[value] !== QUOTE || !this.isSecret(json, start, end)) return undefined;
    return { start: value, end: endOfString(json, value) };
  }

  /** A string before a colon is a key. No other byte outside of strings matters. */
  private secretsIn(json: Buffer): Span[] {
    const found: Span[] = [];
    let at = 0;
    while (at < json.length) {
      if (json[at] !== QUOTE) {
        at++;
        continue;
      }
      const end = endOfString(json, at);
      const colon = skipSpace(json, end);
      const isKey = json[colon] === COLON;
      const secret = isKey && this.secretAt(json, at, end, skipSpace(json, colon + 1));
      if (secret) found.push(secret);
      at = end;
    }
    return found;
  }

  /** The key starts and ends with quotes at `start` and `end - 1`. It may have escapes. */
  private isSecret(json: Buffer, start: number, end: number): boolean {
    if (end - start - 2 < this.shortest) return false;
    const mayBeEscaped = json[end - 3] === BACKSLASH || json[end - 7] === BACKSLASH;
    if (this.lastBytes[json[end - 2]!] === 0 && !mayBeEscaped) return false;
    const key = keyText(json, start, end);
    return this.known.get(key) ?? this.learn(key);
  }

  private learn(key: string): boolean {
    const name = normal(key);
    const isSecret = this.names.has(name) || this.suffixes.some((suffix) => name.endsWith(suffix));
    if (this.known.size === KNOWN_KEYS_MAX) this.known.clear();
    if (key.length <= KNOWN_KEY_MAX_LENGTH) this.known.set(key, isSecret);
    return isSecret;
  }
}

const normal = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

/** All copies of a repeated member are stored, so all of them are searched. Both lists are in the order of the text. */
function inParts(item: Buffer, found: readonly Span[]): Span[] {
  const parts: Span[] = [];
  walkMembers(item, skipSpace(item, 0), (key, start) => {
    const end = endOfValue(item, start);
    if (PARTS.has(key)) parts.push({ start, end });
    return end;
  });
  let nth = 0;
  return found.filter((one) => {
    while (nth < parts.length && parts[nth]!.end < one.end) nth++;
    return nth < parts.length && parts[nth]!.start <= one.start;
  });
}

function replaced(json: Buffer, spans: readonly Span[]): Buffer {
  if (spans.length === 0) return json;
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    pieces.push(json.subarray(from, start), REDACTED);
    from = end;
  }
  return Buffer.concat([...pieces, json.subarray(from)]);
}
