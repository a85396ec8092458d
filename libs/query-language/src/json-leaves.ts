import { bind, raw, sql, type Bound, type Sql } from '@app/clickhouse';
import { pathHash } from '@app/wire';
import type { Undecided } from './undecided.js';
import { asBool, asInteger, asNumber } from './json-functions.js';
import { JsonText, position, textHint } from './json-text.js';
import { MissingJson } from './missing-json.js';
import type { Json } from './value.js';

/** Rows of which it is not known what their leaves leave out. */
const UNKNOWN = raw('leaf_full < 2');
const AGE: Undecided = { by: 'age', rows: UNKNOWN };

/**
 * A path of a payload whose small scalars stand beside it as typed leaves. A leaf that is there is exact. A path that is
 * in no leaf but among the rest leads to an object, a list, or a scalar that no leaf can hold: then the text decides. A
 * path in neither has no value.
 */
export class JsonLeaves implements Json {
  readonly kind = 'json';
  private readonly path: Bound;
  private readonly isRest: Sql;
  private readonly exact: Json;
  private readonly column: Sql;

  /** With a list of `doubts` the text is not read: they say instead for which rows the leaves do not decide. */
  constructor(
    column: string,
    keys: readonly string[],
    private readonly doubts?: Undecided[],
  ) {
    this.column = raw(column);
    const path = [column, ...keys.map(escaped)].join('.');
    this.path = bind('String', path);
    this.isRest = sql`has(leaf_rest, ${bind('UInt32', pathHash(Buffer.from(path)))})`;
    this.exact = doubts ? new MissingJson() : new JsonText(this.column, keys);
  }

  text(): Sql {
    this.doubt(this.has('n'));
    const exact = this.ifUnread(this.exact.text(), sql`''`, this.has('n'));
    return sql`multiIf(${this.has('s')}, ${this.leaf('s')}, ${this.has('b')}, if(${this.leaf('b')}, 'true', 'false'), ${exact})`;
  }

  number(): Sql {
    this.doubt();
    const exact = this.ifUnread(this.exact.number(), sql`NULL`);
    return sql`multiIf(${this.has('n')}, toNullable(${this.leaf('n')}), ${this.has('s')}, ${asNumber}(${this.leaf('s')}), ${exact})`;
  }

  integer(): Sql {
    this.doubt();
    const n = this.leaf('n');
    const exact = this.ifUnread(this.exact.integer(), sql`NULL`);
    return sql`multiIf(${this.has('n')}, if(${n} = trunc(${n}), toNullable(toInt64(${n})), NULL), ${this.has('s')}, ${asInteger}(${this.leaf('s')}), ${exact})`;
  }

  bool(): Sql {
    this.doubt();
    const n = this.leaf('n');
    const exact = this.ifUnread(this.exact.bool(), sql`NULL`);
    return sql`multiIf(${this.has('b')}, toNullable(${this.leaf('b')}), ${this.has('n')}, multiIf(${n} = 1, true, ${n} = 0, false, NULL), ${this.has('s')}, ${asBool}(${this.leaf('s')}), ${exact})`;
  }

  size(): Sql {
    this.doubt();
    const exact = this.ifUnread(this.exact.size(), sql`NULL`);
    return sql`multiIf(${this.has('s')}, toNullable(lengthUTF8(${this.leaf('s')})), ${this.has('n')} OR ${this.has('b')}, NULL, ${exact})`;
  }

  exists(): Sql {
    this.doubt();
    const exact = this.ifUnread(this.exact.exists(), sql`false`);
    return sql`(${this.has('s')} OR ${this.has('n')} OR ${this.has('b')} OR ${exact})`;
  }

  /** Text that could be no number, boolean, object, list or nothing is a string leaf, or in no leaf at all. */
  equalsAny(texts: readonly string[]): Sql {
    const values = bind('Array(String)', texts);
    if (!texts.every(isOnlyAString)) return sql`(${this.text()} IN ${values})`;
    this.doubt();
    const exact = this.ifUnread(this.exact.equalsAny(texts), sql`false`);
    return sql`(${this.leaf('s')} IN ${values} OR ${exact})`;
  }

  /** Whatever stands at the path stands in the text, so the text is searched before the leaves are read. */
  contains(substr: string, ignoresCase: boolean): Sql {
    const hint = this.mayContain(substr, ignoresCase);
    this.doubt(this.has('n'), this.has('b'));
    const found = sql`${position(ignoresCase)}(${this.leaf('s')}, ${bind('String', substr)}) > 0`;
    const otherwise = raw(String(substr === ''));
    const others = sql`${this.has('n')} OR ${this.has('b')}`;
    const exact = this.ifUnread(this.exact.contains(substr, ignoresCase), otherwise, others);
    const contains = sql`if(${this.has('s')}, ${found}, ${exact})`;
    return hint && !this.doubts ? sql`(${hint} AND ${contains})` : contains;
  }

  mayContain(substr: string, ignoresCase: boolean): Sql | undefined {
    return textHint(this.column, substr, ignoresCase);
  }

  /** What the text says where the leaves leave something out, or where `also` holds; elsewhere there is nothing. */
  private ifUnread(exact: Sql, nothing: Sql, also?: Sql): Sql {
    if (this.doubts) return exact;
    const unread = also
      ? sql`${UNKNOWN} OR ${this.isRest} OR ${also}`
      : sql`${UNKNOWN} OR ${this.isRest}`;
    return sql`if(${unread}, ${exact}, ${nothing})`;
  }

  /** Rows whose leaves leave something out, and those in which one of these leaves is not the whole truth. */
  private doubt(...leaves: Sql[]): void {
    if (this.doubts === undefined) return;
    if (!this.doubts.includes(AGE)) this.doubts.push(AGE);
    this.doubts.push({ by: 'rest', rows: this.isRest });
    this.doubts.push(...leaves.map((rows) => ({ by: 'leaf', rows }) as const));
  }

  private has(leaf: 's' | 'n' | 'b'): Sql {
    return sql`mapContains(leaf_${raw(leaf)}, ${this.path})`;
  }

  private leaf(leaf: 's' | 'n' | 'b'): Sql {
    return sql`leaf_${raw(leaf)}[${this.path}]`;
  }
}

/** As the worker writes leaves. */
function escaped(key: string): string {
  return key.replace(/[.\\]/g, '\\$&');
}

function isOnlyAString(text: string): boolean {
  return !/^(|true|false|[{[][^]*|-?\d+(\.\d+)?([eE][+-]?\d+)?)$/.test(text);
}
