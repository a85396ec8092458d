import { bind, join, raw, sql, type Bound, type Sql } from '@app/clickhouse';
import { asBool, asInteger, asNumber, jsonRaw, jsonSize, plainText } from './json-functions.js';
import { asIndex } from './parse-path.js';
import { ALWAYS_UNDECIDED, type Undecided } from './undecided.js';
import type { Json } from './value.js';

const HINTS_MAX = 8;

/** A path of a JSON text, read by parsing the text. */
export class JsonText implements Json {
  readonly kind = 'json';
  private readonly keys: Bound;
  private readonly places: Bound;
  private readonly depth: Bound;
  private readonly isWhole: boolean;
  protected readonly mayExist: Sql | undefined;
  protected readonly fast: FastPath | undefined;

  constructor(
    private readonly column: Sql,
    path: readonly string[],
  ) {
    this.keys = bind('Array(String)', path);
    this.places = bind('Array(Int32)', path.map(asIndex));
    this.depth = bind('Int32', path.length);
    this.mayExist = keyHint(column, path);
    this.isWhole = path.length === 0;
    this.fast = fastText(column, path);
  }

  text(): Sql {
    const exact = sql`${plainText}(${this.json()})`;
    return this.fast ? sql`if(${this.fast.isSafe}, ${this.fast.text}, ${exact})` : exact;
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

  /** The value as the exact text that was sent; '' when there is none. */
  json(): Sql {
    if (this.isWhole) return this.column;
    const value = sql`${jsonRaw}(${this.column}, ${this.keys}, ${this.places}, ${this.depth})`;
    return this.mayExist ? sql`if(${this.mayExist}, ${value}, '')` : value;
  }
}

export const position = (ignoresCase: boolean): Sql =>
  raw(ignoresCase ? 'positionCaseInsensitiveUTF8' : 'position');

interface FastPath {
  readonly isSafe: Sql;
  readonly text: Sql;
}

/**
 * The same without the fold over tokens, for which ClickHouse needs 50 ms to plan: rows that need the fold are added to
 * `undecided`, and no condition is right for them.
 */
export class QuickJsonText extends JsonText {
  constructor(
    column: Sql,
    path: readonly string[],
    private readonly undecided: Undecided[],
  ) {
    super(column, path);
  }

  override text(): Sql {
    return sql`if(${this.isText()}, ${this.fast?.text ?? raw(`''`)}, '')`;
  }

  /** Where the text is exact, there is a value. */
  override exists(): Sql {
    return sql`(${this.isText()})`;
  }

  override size(): Sql {
    this.undecided.push(ALWAYS_UNDECIDED);
    return raw('NULL');
  }

  private isText(): Sql {
    const { fast, mayExist } = this;
    if (!fast || !mayExist) {
      this.undecided.push(ALWAYS_UNDECIDED);
      return raw('false');
    }
    this.undecided.push({ by: 'leaf', rows: sql`${mayExist} AND NOT (${fast.isSafe})` });
    return fast.isSafe;
  }
}

/**
 * A string as ClickHouse's JSON functions read it, and the condition under which that is exact: each key occurs once and
 * without escapes, and ClickHouse accepts the text as JSON. Folding over the tokens is a thousand times slower, and the
 * longest text of a block determines the cost of all its rows.
 */
function fastText(column: Sql, path: readonly string[]): FastPath | undefined {
  if (path.length === 0 || !path.every(isPlainKey)) return undefined;
  const keys = join(
    path.map((key) => sql`${bind('String', key)}`),
    ', ',
  );
  const occursOnce = path.map(
    (key) => sql`countSubstrings(${column}, ${bind('String', `"${key}"`)}) = 1`,
  );
  return {
    isSafe: sql`position(${column}, ${escapes(path.join(''))}) = 0 AND ${join(occursOnce, ' AND ')} AND JSONType(${column}, ${keys}) = 'String'`,
    text: sql`JSONExtractString(${column}, ${keys})`,
  };
}

/** A key that JSON can encode in only one way, apart from `\u` escapes. */
const isPlainKey = (key: string) => asIndex(key) === -1 && /^[^"\\/\p{Cc}]+$/u.test(key);

/**
 * A cheap condition that every text with this path fulfils: it contains the last key in quotes, or an escape sequence
 * that may encode the key. It saves most rows the expensive fold over the tokens.
 */
function keyHint(column: Sql, path: readonly string[]): Sql | undefined {
  const key = path.findLast(isPlainKey);
  if (key === undefined) return undefined;
  return sql`(position(${column}, ${bind('String', `"${key}"`)}) > 0 OR position(${column}, ${escapes(key)}) > 0)`;
}

/** As `keyHint`, for a text search: it looks for the longest run of characters that JSON can encode in only one way. */
export function textHint(column: Sql, substr: string, ignoresCase: boolean): Sql | undefined {
  const runs = substr.match(/[^"\\/\p{Cc}]+/gu) ?? [];
  const [run] = runs.sort((a, b) => b.length - a.length);
  if (run === undefined) return undefined;
  if (ignoresCase) {
    return sql`(${position(true)}(${column}, ${bind('String', run)}) > 0 OR position(${column}, ${raw(String.raw`'\\u'`)}) > 0)`;
  }
  // A text index supports LIKE. Its patterns escape the backslash.
  const pattern = bind('String', `%${run.replace(/[%_]/g, '\\$&')}%`);
  const escape = bind('String', isAscii(run) ? String.raw`%\\u00%` : String.raw`%\\u%`);
  return sql`(${column} LIKE ${pattern} OR ${column} LIKE ${escape})`;
}

/** A text equal to one of these contains it. Searching for more than `HINTS_MAX` costs more than the fold over tokens. */
function hintOfAny(column: Sql, texts: readonly string[]): Sql | undefined {
  if (texts.length > HINTS_MAX) return undefined;
  const hints = texts.map((text) => textHint(column, text, false));
  return hints.every((hint) => hint !== undefined) ? sql`(${join(hints, ' OR ')})` : undefined;
}

/** The prefix of `\u` escapes of these characters. */
function escapes(text: string): Sql {
  return raw(isAscii(text) ? String.raw`'\\u00'` : String.raw`'\\u'`);
}

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);
