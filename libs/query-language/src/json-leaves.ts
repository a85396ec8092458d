import { bind, raw, sql, type Bound, type Sql } from '@app/clickhouse';
import { asBool, asInteger, asNumber } from './json-functions.js';
import { JsonText, position } from './json-text.js';
import { NoJson } from './no-json.js';
import type { Json } from './value.js';

/**
 * A path of a payload whose small scalars stand beside it as typed leaves. A leaf that is there is exact. One that is
 * not may be null, missing, an object, a list, or, in a row that is not `leaf_full`, a scalar that no leaf can hold:
 * then the text decides.
 */
export class JsonLeaves implements Json {
  readonly kind = 'json';
  private readonly path: Bound;
  private readonly exact: Json;

  /** With a list of `doubts` the text is not read: they say instead for which rows the leaves do not decide. */
  constructor(
    column: string,
    keys: readonly string[],
    private readonly doubts?: Sql[],
  ) {
    this.path = bind('String', [column, ...keys.map(escaped)].join('.'));
    this.exact = doubts ? new NoJson() : new JsonText(raw(column), keys);
  }

  text(): Sql {
    this.doubt(sql`NOT ${this.has('s')} AND NOT ${this.has('b')}`);
    return sql`multiIf(${this.has('s')}, ${this.leaf('s')}, ${this.has('b')}, if(${this.leaf('b')}, 'true', 'false'), ${this.exact.text()})`;
  }

  number(): Sql {
    this.doubt(sql`leaf_full = 0 AND NOT ${this.has('n')} AND NOT ${this.has('s')}`);
    return sql`multiIf(${this.has('n')}, toNullable(${this.leaf('n')}), ${this.has('s')}, ${asNumber}(${this.leaf('s')}), leaf_full = 1, NULL, ${this.exact.number()})`;
  }

  integer(): Sql {
    this.doubt(sql`leaf_full = 0 AND NOT ${this.has('n')} AND NOT ${this.has('s')}`);
    const n = this.leaf('n');
    return sql`multiIf(${this.has('n')}, if(${n} = trunc(${n}), toNullable(toInt64(${n})), NULL), ${this.has('s')}, ${asInteger}(${this.leaf('s')}), leaf_full = 1, NULL, ${this.exact.integer()})`;
  }

  bool(): Sql {
    this.doubt(sql`leaf_full = 0 AND NOT ${this.hasAny()}`);
    const n = this.leaf('n');
    return sql`multiIf(${this.has('b')}, toNullable(${this.leaf('b')}), ${this.has('n')}, multiIf(${n} = 1, true, ${n} = 0, false, NULL), ${this.has('s')}, ${asBool}(${this.leaf('s')}), leaf_full = 1, NULL, ${this.exact.bool()})`;
  }

  size(): Sql {
    this.doubt(sql`NOT ${this.hasAny()}`);
    return sql`multiIf(${this.has('s')}, toNullable(lengthUTF8(${this.leaf('s')})), ${this.has('n')} OR ${this.has('b')}, NULL, ${this.exact.size()})`;
  }

  exists(): Sql {
    this.doubt(sql`NOT ${this.hasAny()}`);
    return sql`(${this.has('s')} OR ${this.has('n')} OR ${this.has('b')} OR ${this.exact.exists()})`;
  }

  /** Text that could be no number, boolean, object, list or nothing is a string leaf, or in no leaf at all. */
  equalsAny(texts: readonly string[]): Sql {
    const values = bind('Array(String)', texts);
    if (!texts.every(isOnlyAString)) return sql`(${this.text()} IN ${values})`;
    this.doubt(sql`leaf_full = 0 AND NOT ${this.has('s')}`);
    const beyond = sql`leaf_full = 0 AND NOT ${this.has('s')} AND ${this.exact.equalsAny(texts)}`;
    return sql`(${this.leaf('s')} IN ${values} OR (${beyond}))`;
  }

  contains(substr: string, ignoresCase: boolean): Sql {
    this.doubt(sql`NOT ${this.has('s')}`);
    const found = sql`${position(ignoresCase)}(${this.leaf('s')}, ${bind('String', substr)}) > 0`;
    return sql`if(${this.has('s')}, ${found}, ${this.exact.contains(substr, ignoresCase)})`;
  }

  private doubt(rows: Sql): void {
    this.doubts?.push(rows);
  }

  private hasAny(): Sql {
    return sql`(${this.has('s')} OR ${this.has('n')} OR ${this.has('b')})`;
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
