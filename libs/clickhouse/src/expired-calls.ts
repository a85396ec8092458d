import { micros, microsOf, type Micros, type Millis } from '@app/wire';
import { atMicros, bind, sql, type Sql } from './sql.js';
import type { Store } from './store.js';

const DAY_MICROS = 86_400_000_000;

/** A project with a retention. */
interface Retained {
  readonly project: string;
  readonly days: number;
}

export const cutoffOf = (now: Millis, days: number): Micros =>
  micros(microsOf(now) - days * DAY_MICROS);

/** The projects with a retention of calls. */
export function retainedProjects(store: Store): Promise<Retained[]> {
  return store.rows<Retained>(
    sql`SELECT project_id AS project, retention_days AS days FROM projects FINAL WHERE retention_days > 0 ORDER BY project_id`,
  );
}

/** Includes deleted calls, which still have facts. For a call with several starts the latest one counts. */
export function expiredCalls(projectId: string, cutoff: Micros): Sql {
  const project = sql`project_id = ${bind('String', projectId)}`;
  const before = atMicros(cutoff);
  return sql`SELECT id FROM calls WHERE ${project}
  AND id IN (SELECT id FROM calls WHERE ${project} AND started_at < ${before})
GROUP BY id HAVING max(started_at) < ${before}`;
}

/** Calls with facts but no row, because their start never arrived or is a dead letter. Their latest fact counts. */
export function expiredWithoutRow(projectId: string, cutoff: Micros): Sql {
  const project = sql`project_id = ${bind('String', projectId)}`;
  const before = atMicros(cutoff);
  const expiredFacts = sql`SELECT call_id AS id FROM call_events WHERE ${project}
  AND call_id IN (SELECT call_id FROM call_events WHERE ${project} AND received_at < ${before})
GROUP BY call_id HAVING max(received_at) < ${before}`;
  return sql`SELECT id FROM (${expiredFacts})
WHERE id NOT IN (SELECT id FROM calls WHERE ${project} AND id IN (${expiredFacts}))`;
}
