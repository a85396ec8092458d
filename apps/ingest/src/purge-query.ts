import { ProblemError } from '@app/http';

const IDS_MAX = 1000;

/** The ids in the query of a purge. Only `$eq` on id, `$in` on id and `$or` of these are allowed. */
export function purgedIds(query: unknown): string[] {
  const ids = idsIn(only(query, '$expr'));
  if (ids === undefined) {
    const forms = '$eq on id, $in on id, or $or of these';
    throw new ProblemError('invalid_request', `query may only name records by id: ${forms}.`);
  }
  if (ids.length > IDS_MAX) {
    throw new ProblemError(
      'invalid_request',
      `query names ${ids.length} records; at most ${IDS_MAX}.`,
    );
  }
  return [...new Set(ids)];
}

function idsIn(expr: unknown): string[] | undefined {
  const equal = pair(only(expr, '$eq'));
  if (equal) return idEqual(equal[0], equal[1]) ?? idEqual(equal[1], equal[0]);
  const among = pair(only(expr, '$in'));
  if (among) return isId(among[0]) ? literals(among[1]) : undefined;
  const any = only(expr, '$or');
  return Array.isArray(any) && any.length > 0 ? all(any.map(idsIn)) : undefined;
}

const idEqual = (field: unknown, value: unknown) => (isId(field) ? literals([value]) : undefined);

const isId = (expr: unknown) => only(expr, '$getField') === 'id';

/** A list of literals, or one literal that is a list. */
function literals(list: unknown): string[] | undefined {
  const inner = only(list, '$literal');
  if (Array.isArray(inner)) return all(inner.map((one) => (isText(one) ? [one] : undefined)));
  if (!Array.isArray(list)) return undefined;
  return all(
    list.map((one) => {
      const value = only(one, '$literal');
      return isText(value) ? [value] : undefined;
    }),
  );
}

function all(lists: readonly (string[] | undefined)[]): string[] | undefined {
  return lists.some((list) => list === undefined) ? undefined : lists.flatMap((list) => list!);
}

const isText = (value: unknown): value is string => typeof value === 'string';

function pair(value: unknown): readonly [unknown, unknown] | undefined {
  return Array.isArray(value) && value.length === 2 ? [value[0], value[1]] : undefined;
}

/** The value of the key, if the object has no other keys. */
function only(value: unknown, key: string): unknown {
  if (value === null || typeof value !== 'object') return undefined;
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === key ? (value as Record<string, unknown>)[key] : undefined;
}
