import { bind, raw, sql, type Sql } from '@app/clickhouse';
import { ProblemError } from '@app/http';
import { JsonText } from '@app/query-language';

/** The keys of a dotted path; `\.` is a dot inside a key. */
export function pathKeys(path: string): string[] {
  const keys = path.split(/(?<!\\)\./).map((key) => key.replaceAll('\\.', '.'));
  if (keys.every((key) => key !== '')) return keys;
  const shown = JSON.stringify(path.slice(0, 100));
  throw new ProblemError('invalid_request', `${shown} is not a path: a key between dots is empty.`);
}

/**
 * The JSON text under a path of a column; '' where there is nothing. ClickHouse's own functions find nothing in a text
 * with a number or an escape that they cannot read; only then is it walked token by token, which takes twenty times as
 * long.
 */
export function textAt(column: string, keys: readonly string[]): Sql {
  const quick = quickTextAt(column, keys);
  const exact = new JsonText(raw(column), keys).json();
  return sql`if(${quick} != '', ${quick}, ${exact})`;
}

/** A number is a place in a list, a key elsewhere. */
function quickTextAt(column: string, keys: readonly string[]): Sql {
  return keys.reduce<Sql>((json, key) => {
    const byKey = sql`JSONExtractRaw(${json}, ${bind('String', key)})`;
    if (!/^\d{1,9}$/.test(key)) return byKey;
    const place = bind('Int64', Number(key) + 1);
    return sql`if(JSONType(${json}) = 'Array', JSONExtractRaw(${json}, ${place}), ${byKey})`;
  }, raw(column));
}
