import type { Sql } from '@app/clickhouse';
import type { LiteralValue } from './expr.js';

export type Kind = 'text' | 'number' | 'bool' | 'time' | 'texts';

/** A value of a known kind. */
export interface Plain {
  readonly kind: Kind;
  readonly sql: Sql;
  /** Condition for "no value" of a column that is not nullable. */
  readonly unset?: Sql;
  /** The SQL is NULL when there is no value. */
  readonly nullable?: boolean;
  /** The value itself when the request contains it. */
  readonly literal?: LiteralValue;
}

/**
 * A JSON value; its kind differs from row to row. As text it is '' when it is missing or JSON null; as anything else it
 * is NULL when it is missing or cannot be converted.
 */
export interface Json {
  readonly kind: 'json';
  text(): Sql;
  number(): Sql;
  integer(): Sql;
  bool(): Sql;
  /** Length of a string or list, number of an object's keys. */
  size(): Sql;
  /** Present and not JSON null. This and the next two are never NULL. */
  exists(): Sql;
  equalsAny(texts: readonly string[]): Sql;
  contains(substr: string, ignoresCase: boolean): Sql;
  /** A condition on the raw text that holds whenever the value contains `substr`; undefined when there is no such condition. */
  mayContain?(substr: string, ignoresCase: boolean): Sql | undefined;
  /** For a value that a row may have several of: whether any entry fulfils a condition that is never NULL. */
  any?(condition: (entry: Json) => Sql): Sql;
}

export type Value = Plain | Json;
