import { join, raw, sql, type Sql } from '@app/clickhouse';

/**
 * The outcome of a condition in three-valued logic, as two conditions that are never NULL: `holds` and `fails`. When
 * neither is true, the outcome is unknown. ClickHouse can use indexes for such conditions, but not for nullable ones.
 * `value` is the outcome as one nullable expression, for comparisons between outcomes.
 *
 * Each of the three contains its parts only once, so that nesting does not multiply the SQL text.
 */
export interface Verdict {
  readonly holds: Sql;
  readonly fails: Sql;
  readonly value: Sql;
}

export function verdict(holds: Sql, fails: Sql): Verdict {
  return { holds, fails, value: sql`multiIf(${holds}, true, ${fails}, false, NULL)` };
}

/** The verdict of a condition that is never NULL. */
export function decided(condition: Sql): Verdict {
  const fails = sql`NOT ${condition}`;
  return { holds: condition, fails, value: condition };
}

/** The verdict of a condition that is NULL when it is unknown. */
export function nullable(condition: Sql): Verdict {
  return {
    holds: sql`ifNull(${condition}, false)`,
    fails: sql`ifNull(NOT ${condition}, false)`,
    value: condition,
  };
}

export const always = (outcome: boolean): Verdict =>
  verdict(raw(String(outcome)), raw(String(!outcome)));

export const NEVER: Verdict = verdict(raw('false'), raw('false'));

export function not({ holds, fails, value }: Verdict): Verdict {
  return { holds: fails, fails: holds, value: sql`NOT ${value}` };
}

export function all(verdicts: readonly Verdict[]): Verdict {
  return verdicts.length === 1 ? verdicts[0]! : combined(verdicts, ' AND ', ' OR ');
}

export function any(verdicts: readonly Verdict[]): Verdict {
  return verdicts.length === 1 ? verdicts[0]! : combined(verdicts, ' OR ', ' AND ');
}

function combined(
  verdicts: readonly Verdict[],
  separator: string,
  negatedSeparator: string,
): Verdict {
  const of = (part: keyof Verdict, by: string) =>
    sql`(${join(
      verdicts.map((one) => one[part]),
      by,
    )})`;
  return {
    holds: of('holds', separator),
    fails: of('fails', negatedSeparator),
    value: of('value', separator),
  };
}
