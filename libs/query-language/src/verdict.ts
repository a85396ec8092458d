import { join, raw, sql, type Sql } from '@app/clickhouse';

/**
 * True, false or unknown, as two conditions that are never NULL: when it holds, and when it fails. When neither is
 * true it is unknown. Plain conditions keep ClickHouse's indexes usable, which NULL logic does not. `value` is the same
 * in one nullable expression, for a comparison of verdicts.
 *
 * Each of the three mentions what it is made of once, so that nesting does not multiply the text.
 */
export interface Verdict {
  readonly holds: Sql;
  readonly fails: Sql;
  readonly value: Sql;
}

export function verdict(holds: Sql, fails: Sql): Verdict {
  return { holds, fails, value: sql`multiIf(${holds}, true, ${fails}, false, NULL)` };
}

/** Of a condition that is never NULL. */
export function decided(condition: Sql): Verdict {
  const fails = sql`NOT ${condition}`;
  return { holds: condition, fails, value: condition };
}

/** Of a condition that is NULL when it is unknown. */
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

function combined(verdicts: readonly Verdict[], joint: string, dual: string): Verdict {
  const of = (part: keyof Verdict, by: string) =>
    sql`(${join(
      verdicts.map((one) => one[part]),
      by,
    )})`;
  return { holds: of('holds', joint), fails: of('fails', dual), value: of('value', joint) };
}
