import type { Sql } from '@app/clickhouse';
import type { LiteralValue } from './expr.js';

export type Kind = 'text' | 'number' | 'bool' | 'time' | 'texts';

/** A value of one kind. */
export interface Plain {
  readonly kind: Kind;
  readonly sql: Sql;
  /** When a column that cannot be NULL has no value all the same. */
  readonly unset?: Sql;
  /** The SQL is NULL when there is no value. */
  readonly nullable?: boolean;
  /** Known already: it stood in the request. */
  readonly literal?: LiteralValue;
}

/**
 * A value whose kind only the row knows. As text it is '' when it is missing or JSON null; as anything else it is NULL
 * when it is missing or cannot be converted.
 */
export interface Json {
  readonly kind: 'json';
  text(): Sql;
  number(): Sql;
  integer(): Sql;
  bool(): Sql;
  /** Characters of a string, elements of a list. */
  size(): Sql;
  /** There, and not JSON null. Never NULL, like the two below. */
  exists(): Sql;
  equalsAny(texts: readonly string[]): Sql;
  contains(substr: string, ignoresCase: boolean): Sql;
  /** Of a value in a text: what the bytes of every text fulfil in which it contains this; undefined when they say nothing. */
  mayContain?(substr: string, ignoresCase: boolean): Sql | undefined;
  /** Of a value that a row has many of: whether any of them fulfils a condition that is never NULL. */
  any?(condition: (entry: Json) => Sql): Sql;
}

export type Value = Plain | Json;
