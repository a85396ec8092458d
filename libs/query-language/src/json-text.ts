import { bind, join, raw, sql, type Bound, type Sql } from '@app/clickhouse';
import { asBool, asInteger, asNumber, jsonRaw, jsonSize, plainText } from './json-functions.js';
import { asIndex } from './parse-path.js';
import type { Json } from './value.js';

const HINTED_MAX = 8;

/** A path of a JSON text, read from the text itself. */
export class JsonText implements Json {
  readonly kind = 'json';
  private readonly keys: Bound;
  private readonly places: Bound;
  private readonly depth: Bound;
  private readonly mayHold: Sql | undefined;
  private readonly isWhole: boolean;
  private readonly quick: Quick | undefined;

  constructor(
    private readonly column: Sql,
    path: readonly string[],
  ) {
    this.keys = bind('Array(String)', path);
    this.places = bind('Array(Int32)', path.map(asIndex));
    this.depth = bind('Int32', path.length);
    this.mayHold = keyHint(column, path);
    this.isWhole = path.length === 0;
    this.quick = quickText(column, path);
  }

  text(): Sql {
    const exact = sql`${plainText}(${this.json()})`;
    return this.quick ? sql`if(${this.quick.isSafe}, ${this.quick.text}, ${exact})` : exact;
  }

  number(): Sql {
    return sql`${asNumber}(${this.text()})`;
  }

  integer(): Sql {
    return sql`${asInteger}(${this.text()})`;
  }

  bool(): Sql {
    return sql`${asBool}(${this.text()})`;
  }

  size(): Sql {
    return sql`${jsonSize}(${this.json()})`;
  }

  exists(): Sql {
    return sql`(${this.json()} NOT IN ('', 'null'))`;
  }

  equalsAny(texts: readonly string[]): Sql {
    const equal = sql`(${this.text()} IN ${bind('Array(String)', texts)})`;
    const hint = this.isWhole ? undefined : hintOfAny(this.column, texts);
    return hint ? sql`(${hint} AND ${equal})` : equal;
  }

  contains(substr: string, ignoresCase: boolean): Sql {
    const hint = textHint(this.column, substr, ignoresCase);
    const found = sql`${position(ignoresCase)}(${this.text()}, ${bind('String', substr)}) > 0`;
    return hint ? sql`(${hint} AND ${found})` : sql`(${found})`;
  }

  /** The value as the text it was sent as; '' when there is none. */
  json(): Sql {
    if (this.isWhole) return this.column;
    const value = sql`${jsonRaw}(${this.column}, ${this.keys}, ${this.places}, ${this.depth})`;
    return this.mayHold ? sql`if(${this.mayHold}, ${value}, '')` : value;
  }
}

export const position = (ignoresCase: boolean): Sql =>
  raw(ignoresCase ? 'positionCaseInsensitiveUTF8' : 'position');

interface Quick {
  readonly isSafe: Sql;
  readonly text: Sql;
}

/**
 * ClickHouse's own reading of a string, and where it is exact: each key stands in the text once and in one way, so none
 * is repeated, and the text is JSON to ClickHouse too. A walk over the tokens costs a thousand times as much, and the
 * longest of a block decides for all of its rows.
 */
function quickText(column: Sql, path: readonly string[]): Quick | undefined {
  if (path.length === 0 || !path.every(isPlainKey)) return undefined;
  const keys = join(
    path.map((key) => sql`${bind('String', key)}`),
    ', ',
  );
  const onlyOnce = path.map(
    (key) => sql`countSubstrings(${column}, ${bind('String', `"${key}"`)}) = 1`,
  );
  return {
    isSafe: sql`position(${column}, ${raw(String.raw`'\\u'`)}) = 0 AND ${join(onlyOnce, ' AND ')} AND JSONType(${column}, ${keys}) = 'String'`,
    text: sql`JSONExtractString(${column}, ${keys})`,
  };
}

/** A name that JSON can write in one way only, but for `\u`. */
const isPlainKey = (key: string) => asIndex(key) === -1 && /^[^"\\/\p{Cc}]+$/u.test(key);

/**
 * A cheap condition that every text with this path fulfils: its last key stands there in quotes, unless it is written
 * with escapes, which then stand there. Tokens are costly; most rows never get that far.
 */
function keyHint(column: Sql, path: readonly string[]): Sql | undefined {
  const key = path.findLast(isPlainKey);
  if (key === undefined) return undefined;
  return sql`(position(${column}, ${bind('String', `"${key}"`)}) > 0 OR position(${column}, ${escapes(key)}) > 0)`;
}

/** The same for a text that is searched: the longest stretch of it that JSON can write in one way only. */
export function textHint(column: Sql, substr: string, ignoresCase: boolean): Sql | undefined {
  const runs = substr.match(/[^"\\/\p{Cc}]+/gu) ?? [];
  const [run] = runs.sort((a, b) => b.length - a.length);
  if (run === undefined) return undefined;
  if (ignoresCase) {
    return sql`(${position(true)}(${column}, ${bind('String', run)}) > 0 OR position(${column}, ${raw(String.raw`'\\u'`)}) > 0)`;
  }
  // LIKE is what a text index can answer. A backslash is written twice in its patterns.
  const pattern = bind('String', `%${run.replace(/[%_]/g, '\\$&')}%`);
  const escape = bind('String', isAscii(run) ? String.raw`%\\u00%` : String.raw`%\\u%`);
  return sql`(${column} LIKE ${pattern} OR ${column} LIKE ${escape})`;
}

/** A text that is equal to one of these contains it. Many of them cost more to look for than a walk over the tokens. */
function hintOfAny(column: Sql, texts: readonly string[]): Sql | undefined {
  if (texts.length > HINTED_MAX) return undefined;
  const hints = texts.map((text) => textHint(column, text, false));
  return hints.every((hint) => hint !== undefined) ? sql`(${join(hints, ' OR ')})` : undefined;
}

/** How an escape of one of these characters begins. */
function escapes(text: string): Sql {
  return raw(isAscii(text) ? String.raw`'\\u00'` : String.raw`'\\u'`);
}

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);
