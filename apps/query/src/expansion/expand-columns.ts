import { ExprError, parsePath, shown } from '@app/query-language';
import type { Path } from './json-path.js';

/** Fields of a call that can contain refs. */
const PAYLOADS = ['attributes', 'inputs', 'output', 'summary'];

const COLUMNS_MAX = 50;

/** `expand_columns` as paths; throws ExprError for a path outside the payloads, and for too many paths. */
export function expandPaths(columns: readonly string[] | null | undefined): readonly Path[] {
  if (columns && columns.length > COLUMNS_MAX) {
    const reason = `has ${columns.length} columns; at most ${COLUMNS_MAX} are allowed`;
    throw new ExprError('value', ['expand_columns'], reason);
  }
  return (columns ?? []).map((column, i) => {
    const path = parsePath(column, ['expand_columns', i]);
    if (PAYLOADS.includes(path[0]!)) return path;
    const reason = `${shown(column)} holds no refs; name a path in ${PAYLOADS.join(', ')}`;
    throw new ExprError('shape', ['expand_columns', i], reason);
  });
}

/** A path that leads through a ref: to the column that may contain one, then into the value that the ref points to. */
export interface RefPath {
  readonly column: Path;
  readonly path: Path;
}

/** Every way to reach a field through one of the columns, the shallowest column first. */
export function refPathsTo(field: Path, columns: readonly Path[]): RefPath[] {
  return columns
    .filter((column) => column.length < field.length && isPrefix(column, field))
    .sort((a, b) => a.length - b.length)
    .map((column) => ({ column, path: field.slice(column.length) }));
}

/** The columns at or below this one, as paths relative to it. */
export function relativeColumns(column: Path, columns: readonly Path[]): Path[] {
  return columns.filter((path) => isPrefix(column, path)).map((path) => path.slice(column.length));
}

const isPrefix = (prefix: Path, path: Path) => prefix.every((key, i) => key === path[i]);
