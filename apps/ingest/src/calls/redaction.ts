import { Inject, Injectable } from '@nestjs/common';
import type { IngestConfig } from '@app/config';
import type { NewFact } from '@app/events';
import { endOfString, endOfValue, keyText, skipSpace, walkMembers, type Span } from '@app/wire';
import { INGEST_CONFIG } from '../tokens.js';

const REDACTED = Buffer.from('"REDACTED"');
/** The parts of a call in which programs leave credentials; what a call gave back is its own. */
const PARTS: ReadonlySet<string> = new Set(['inputs', 'attributes', 'otel_dump']);
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Replaces the strings under keys that look like credentials, before anything is stored. A name counts without `_` and
 * `-`, in any case; one that begins with `*` counts for every key that ends so.
 */
@Injectable()
export class Redaction {
  private readonly whole: ReadonlySet<string>;
  private readonly ends: readonly string[];
  /** No key of fewer bytes is one of the names. */
  private readonly shortest: number;
  /** Last bytes of the names as they may be written: most keys are none of them, and that is seen at one byte. */
  private readonly lastBytes = new Uint8Array(256).fill(1, 0x80);

  constructor(@Inject(INGEST_CONFIG) { redactKeys }: Pick<IngestConfig, 'redactKeys'>) {
    const plain = redactKeys.map((name) => ({
      isEnd: name.startsWith('*'),
      name: normal(name.replace(/^\*/, '')),
    }));
    this.whole = new Set(plain.filter(({ isEnd }) => !isEnd).map(({ name }) => name));
    this.ends = plain.filter(({ isEnd }) => isEnd).map(({ name }) => name);
    this.shortest = Math.min(...plain.map(({ name }) => name.length));
    for (const { name } of plain) {
      const last = name.at(-1) ?? '';
      for (const letter of Buffer.from(`${last}${last.toUpperCase()}_-`))
        this.lastBytes[letter] = 1;
    }
  }

  /** The fact itself when there is nothing to replace. */
  fact(fact: NewFact): NewFact {
    if (fact.kind !== 'start' && fact.kind !== 'complete' && fact.kind !== 'rejected') return fact;
    if (this.whole.size + this.ends.length === 0) return fact;
    const found = this.secretsIn(fact.item);
    if (found.length === 0) return fact;
    const item = replaced(fact.item, fact.kind === 'rejected' ? found : inParts(fact.item, found));
    return { ...fact, item };
  }

  /** A string before a colon is a key, wherever it stands; no other byte outside of strings matters. */
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
      if (json[colon] === COLON && this.isSecret(json, at, end)) {
        const start = skipSpace(json, colon + 1);
        if (json[start] === QUOTE) found.push({ start, end: endOfString(json, start) });
      }
      at = end;
    }
    return found;
  }

  /** The key whose quotes are at `start` and before `end`; it may be written with escapes. */
  private isSecret(json: Buffer, start: number, end: number): boolean {
    if (end - start - 2 < this.shortest) return false;
    const mayBeEscaped = json[end - 3] === BACKSLASH || json[end - 7] === BACKSLASH;
    if (this.lastBytes[json[end - 2]!] === 0 && !mayBeEscaped) return false;
    const key = normal(keyText(json, start, end));
    return this.whole.has(key) || this.ends.some((one) => key.endsWith(one));
  }
}

const normal = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

/** A repeated member is stored as often as it was sent, whichever of them counts. */
function inParts(item: Buffer, found: readonly Span[]): Span[] {
  const parts: Span[] = [];
  walkMembers(item, skipSpace(item, 0), (key, start) => {
    const end = endOfValue(item, start);
    if (PARTS.has(key)) parts.push({ start, end });
    return end;
  });
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
