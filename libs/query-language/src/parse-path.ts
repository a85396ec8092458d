import { ExprError, shown, type Place } from './expr-error.js';

const SEGMENTS_MAX = 100;

/** Splits `a.b\.c.0` into keys. `\.` is a dot inside a key, `\\` a backslash. */
export function parsePath(path: string, at: Place): readonly string[] {
  const keys = [...path.matchAll(/(?:^|\.)((?:[^.\\]|\\[^]?)*)/g)].map(([, key]) =>
    key!.toWellFormed().replace(/\\([.\\])/g, '$1'),
  );
  if (keys.join('') === '') {
    throw new ExprError('shape', at, `${shown(path)} is not a field path`);
  }
  if (keys.length > SEGMENTS_MAX) {
    throw new ExprError('depth', at, `has more than ${SEGMENTS_MAX} keys`);
  }
  const negative = keys.find((key) => /^-\d+$/.test(key));
  if (negative !== undefined) {
    throw new ExprError('shape', at, `${negative} is not an index; indexes start at 0`);
  }
  return keys;
}

/** The key as a list index; -1 when it is not one. */
export function asIndex(key: string): number {
  return /^(0|[1-9]\d{0,8})$/.test(key) ? Number(key) : -1;
}
