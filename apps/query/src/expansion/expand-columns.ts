import { ExprError, parsePath, shown } from '@app/query-language';
import type { Path } from './json-place.js';

/** Fields of a call that can hold refs. */
const PAYLOADS = ['attributes', 'inputs', 'output', 'summary'];

/** `expand_columns` as paths; an ExprError for one that lies in no payload. */
export function expandPaths(columns: readonly string[] | null | undefined): readonly Path[] {
  return (columns ?? []).map((column, i) => {
    const path = parsePath(column, ['expand_columns', i]);
    if (PAYLOADS.includes(path[0]!)) return path;
    const reason = `${shown(column)} holds no refs; name a path in ${PAYLOADS.join(', ')}`;
    throw new ExprError('shape', ['expand_columns', i], reason);
  });
}

/** A column on the way to a field, and what is left of the way behind it. */
export interface Way {
  readonly base: Path;
  readonly rest: Path;
}

/** The columns that a field lies behind, shallow ones first. */
export function waysTo(field: Path, columns: readonly Path[]): Way[] {
  return columns
    .filter((base) => base.length < field.length && base.every((key, i) => key === field[i]))
    .sort((a, b) => a.length - b.length)
    .map((base) => ({ base, rest: field.slice(base.length) }));
}

/** The paths, seen from `base`, that are to be expanded once it is: itself, and columns behind it. */
export function pathsBehind(base: Path, columns: readonly Path[]): Path[] {
  return columns
    .filter((path) => path.length >= base.length && base.every((key, i) => key === path[i]))
    .map((path) => path.slice(base.length));
}
