import { endOfString, memberSpans } from '@app/wire';
import type { NewFact } from '@app/events';

const REDACTED = Buffer.from('"REDACTED"');
const KEY_END = Buffer.from('":');
/** The parts of a call in which programs leave credentials; what a call gave back is its own. */
const PARTS = ['inputs', 'attributes', 'otel_dump'];
const KEY_MAX = 200;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Replaces the strings under keys that look like credentials, before anything is stored. A name counts without `_` and
 * `-`, in any case; one that begins with `*` counts for every key that ends so.
 */
export class Redaction {
  private readonly whole: ReadonlySet<string>;
  private readonly ends: readonly string[];
  /** Last letters of the names: most keys are none of them, and that is seen at one byte. */
  private readonly lastBytes = new Uint8Array(256);

  constructor(names: readonly string[]) {
    const plain = names.map((name) => ({ isEnd: name.startsWith('*'), name: normal(name) }));
    this.whole = new Set(plain.filter(({ isEnd }) => !isEnd).map(({ name }) => name));
    this.ends = plain.filter(({ isEnd }) => isEnd).map(({ name }) => name);
    for (const { name } of plain) {
      const last = name.at(-1);
      if (last === undefined) continue;
      for (const letter of [last, last.toUpperCase(), '_', '-'])
        this.lastBytes[letter.charCodeAt(0)] = 1;
    }
  }

  /** The fact itself when there is nothing to replace. */
  fact(fact: NewFact): NewFact {
    if (fact.kind !== 'start' && fact.kind !== 'complete' && fact.kind !== 'rejected') return fact;
    const found = this.secretsIn(fact.item);
    if (found.length === 0) return fact;
    const item = replaced(fact.item, fact.kind === 'rejected' ? found : inParts(fact.item, found));
    return { ...fact, item };
  }

  /**
   * A quote that no backslash precedes and a colon follows ends a key, wherever it stands: inside a string every quote is
   * escaped, and after one comes no colon.
   */
  private secretsIn(json: Buffer): Span[] {
    const found: Span[] = [];
    for (let at = json.indexOf(KEY_END); at !== -1; at = json.indexOf(KEY_END, at + 2)) {
      const last = json[at - 1]!;
      if (this.lastBytes[last] === 0 || last === BACKSLASH || !this.isSecret(json, at)) continue;
      let start = at + 2;
      while (
        json[start] === 0x20 ||
        json[start] === 0x0a ||
        json[start] === 0x0d ||
        json[start] === 0x09
      )
        start++;
      if (json[start] === QUOTE) found.push({ start, end: endOfString(json, start) });
    }
    return found;
  }

  private isSecret(json: Buffer, end: number): boolean {
    const start = json.lastIndexOf(QUOTE, end - 1);
    if (start === -1 || end - start > KEY_MAX) return false;
    const key = normal(json.toString('latin1', start + 1, end));
    return this.whole.has(key) || this.ends.some((one) => key.endsWith(one));
  }
}

const normal = (name: string): string => name.replace(/[*_-]/g, '').toLowerCase();

function inParts(item: Buffer, found: readonly Span[]): Span[] {
  const spans = memberSpans(item);
  const parts = PARTS.flatMap((name) => spans.get(name) ?? []);
  return found.filter((one) =>
    parts.some(({ start, end }) => start <= one.start && one.end <= end),
  );
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
