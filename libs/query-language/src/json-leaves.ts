import { bind, raw, sql, type Bound, type Sql } from '@app/clickhouse';
import { pathHash } from '@app/wire';
import type { Undecided } from './undecided.js';
import { asBool, asInteger, asNumber } from './json-functions.js';
import { JsonText, position, textHint } from './json-text.js';
import { MissingJson } from './missing-json.js';
import type { Json } from './value.js';

/** Rows written before `leaf_rest` was complete: their unindexed paths are unknown. */
const WITHOUT_UNINDEXED_PATHS = raw('leaf_full < 2');
const OLD_ROWS: Undecided = { by: 'age', rows: WITHOUT_UNINDEXED_PATHS };

/**
 * A path of a payload with a scalar index: the small scalars of the payload are stored beside it as typed leaves. A leaf
 * is exact. A path without a leaf that is among the unindexed paths leads to an object, a list, or a scalar that a leaf
 * cannot represent; there the text of the payload decides. A path in neither has no value.
 */
export class JsonLeaves implements Json {
  readonly kind = 'json';
  private readonly path: Bound;
  private readonly isUnindexed: Sql;
  private readonly exact: Json;
  private readonly column: Sql;

  /** With `undecided` the text is not read: rows that the leaves cannot decide are added to that list instead. */
  constructor(
    column: string,
    keys: readonly string[],
    private readonly undecided?: Undecided[],
  ) {
    this.column = raw(column);
    const path = [column, ...keys.map(escaped)].join('.');
    this.path = bind('String', path);
    this.isUnindexed = sql`has(leaf_rest, ${bind('UInt32', pathHash(Buffer.from(path)))})`;
    this.exact = undecided ? new MissingJson() : new JsonText(this.column, keys);
  }

  text(): Sql {
    this.addUndecided(this.has('n'));
    const exact = this.whereUndecided(this.exact.text(), sql`''`, this.has('n'));
    return sql`multiIf(${this.has('s')}, ${this.leaf('s')}, ${this.has('b')}, if(${this.leaf('b')}, 'true', 'false'), ${exact})`;
  }

  number(): Sql {
    this.addUndecided();
    const exact = this.whereUndecided(this.exact.number(), sql`NULL`);
    return sql`multiIf(${this.has('n')}, toNullable(${this.leaf('n')}), ${this.has('s')}, ${asNumber}(${this.leaf('s')}), ${exact})`;
  }

  integer(): Sql {
    this.addUndecided();
    const n = this.leaf('n');
    const exact = this.whereUndecided(this.exact.integer(), sql`NULL`);
    return sql`multiIf(${this.has('n')}, if(${n} = trunc(${n}), toNullable(toInt64(${n})), NULL), ${this.has('s')}, ${asInteger}(${this.leaf('s')}), ${exact})`;
  }

  bool(): Sql {
    this.addUndecided();
    const n = this.leaf('n');
    const exact = this.whereUndecided(this.exact.bool(), sql`NULL`);
    return sql`multiIf(${this.has('b')}, toNullable(${this.leaf('b')}), ${this.has('n')}, multiIf(${n} = 1, true, ${n} = 0, false, NULL), ${this.has('s')}, ${asBool}(${this.leaf('s')}), ${exact})`;
  }

  size(): Sql {
    this.addUndecided();
    const exact = this.whereUndecided(this.exact.size(), sql`NULL`);
    return sql`multiIf(${this.has('s')}, toNullable(toInt64(lengthUTF8(${this.leaf('s')}))), ${this.has('n')} OR ${this.has('b')}, NULL, ${exact})`;
  }

  exists(): Sql {
    this.addUndecided();
    const exact = this.whereUndecided(this.exact.exists(), sql`false`);
    return sql`(${this.has('s')} OR ${this.has('n')} OR ${this.has('b')} OR ${exact})`;
  }

  /** Text that is not a number, boolean, object, list or empty can only be a string leaf or a string without a leaf. */
  equalsAny(texts: readonly string[]): Sql {
    const values = bind('Array(String)', texts);
    if (!texts.every(canOnlyBeString)) return sql`(${this.text()} IN ${values})`;
    this.addUndecided();
    const exact = this.whereUndecided(this.exact.equalsAny(texts), sql`false`);
    return sql`(${this.leaf('s')} IN ${values} OR ${exact})`;
  }

  /** The value at the path is part of the text, so the text is searched before the leaves are read. */
  contains(substr: string, ignoresCase: boolean): Sql {
    const hint = this.mayContain(substr, ignoresCase);
    this.addUndecided(this.has('n'), this.has('b'));
    const found = sql`${position(ignoresCase)}(${this.leaf('s')}, ${bind('String', substr)}) > 0`;
    const otherwise = raw(String(substr === ''));
    const others = sql`${this.has('n')} OR ${this.has('b')}`;
    const exact = this.whereUndecided(this.exact.contains(substr, ignoresCase), otherwise, others);
    const contains = sql`if(${this.has('s')}, ${found}, ${exact})`;
    return hint && !this.undecided ? sql`(${hint} AND ${contains})` : contains;
  }

  mayContain(substr: string, ignoresCase: boolean): Sql | undefined {
    return textHint(this.column, substr, ignoresCase);
  }

  /** `exact` for rows whose leaves are incomplete or for which `also` holds; `nothing` for all others. */
  private whereUndecided(exact: Sql, nothing: Sql, also?: Sql): Sql {
    if (this.undecided) return exact;
    const isUndecided = also
      ? sql`${WITHOUT_UNINDEXED_PATHS} OR ${this.isUnindexed} OR ${also}`
      : sql`${WITHOUT_UNINDEXED_PATHS} OR ${this.isUnindexed}`;
    return sql`if(${isUndecided}, ${exact}, ${nothing})`;
  }

  /** Adds the rows whose leaves are incomplete, and those in which one of these leaves does not decide. */
  private addUndecided(...leaves: Sql[]): void {
    if (this.undecided === undefined) return;
    if (!this.undecided.includes(OLD_ROWS)) this.undecided.push(OLD_ROWS);
    this.undecided.push({ by: 'unindexed', rows: this.isUnindexed });
    this.undecided.push(...leaves.map((rows) => ({ by: 'leaf', rows }) as const));
  }

  private has(leaf: 's' | 'n' | 'b'): Sql {
    return sql`mapContains(leaf_${raw(leaf)}, ${this.path})`;
  }

  private leaf(leaf: 's' | 'n' | 'b'): Sql {
    return sql`leaf_${raw(leaf)}[${this.path}]`;
  }
}

/** Escapes a key the way the worker does when it writes leaves. */
function escaped(key: string): string {
  return key.replace(/[.\\]/g, '\\$&');
}

function canOnlyBeString(text: string): boolean {
  return !/^(|true|false|[{[][^]*|-?\d+(\.\d+)?([eE][+-]?\d+)?)$/.test(text);
}
