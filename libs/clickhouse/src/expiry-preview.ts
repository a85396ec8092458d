import type { Micros, Millis } from '@app/wire';
import { cutoffOf, expiredCalls, expiredWithoutRow } from './expired-calls.js';
import { expiredFeedback } from './expired-feedback.js';
import { withinScope } from './scope.js';
import { and, bind, sql, type Sql } from './sql.js';
import type { Store } from './store.js';

/** What the next expiry would delete of a project. */
export interface ExpiredOfProject {
  readonly project: string;
  /** The retention of its calls; null is indefinitely. */
  readonly days: number | null;
  readonly calls: number;
  /** The retention of its feedback; null is that of the call. */
  readonly feedback_days: number | null;
  readonly feedback: number;
}

/** A part of the projects, in the order of their ids. */
interface ProjectsPage {
  /** `*`, an entity or a project. */
  readonly scope: string;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The projects with a retention of calls or of feedback, and what has expired of each. */
export async function expiryPreview(
  store: Store,
  now: Millis,
  page?: ProjectsPage,
): Promise<ExpiredOfProject[]> {
  const found: ExpiredOfProject[] = [];
  for (const { project, days, feedback_days } of await projectsWithRetention(store, page)) {
    const cutoffs = { calls: cutoffIn(now, days), feedback: cutoffIn(now, feedback_days) };
    const calls = await count(store, cutoffs.calls && allExpired(project, cutoffs.calls));
    const feedback = await count(store, expiredFeedback(project, cutoffs));
    found.push({ project, days, calls, feedback_days, feedback });
  }
  return found;
}

function projectsWithRetention(
  store: Store,
  page?: ProjectsPage,
): Promise<Pick<ExpiredOfProject, 'project' | 'days' | 'feedback_days'>[]> {
  const where = and([
    sql`(retention_days > 0 OR feedback_retention_days > 0)`,
    page !== undefined && withinScope(page.scope),
    page?.after !== undefined && sql`project_id > ${bind('String', page.after)}`,
  ]);
  const limit = page === undefined ? sql`` : sql` LIMIT ${bind('UInt64', page.limit)}`;
  return store.rows(sql`SELECT project_id AS project,
  nullIf(retention_days, 0) AS days, nullIf(feedback_retention_days, 0) AS feedback_days
FROM projects FINAL WHERE ${where} ORDER BY project_id${limit}`);
}

const cutoffIn = (now: Millis, days: number | null): Micros | undefined =>
  days === null ? undefined : cutoffOf(now, days);

const allExpired = (project: string, cutoff: Micros): Sql =>
  sql`${expiredCalls(project, cutoff)} UNION DISTINCT ${expiredWithoutRow(project, cutoff)}`;

async function count(store: Store, ids: Sql | undefined): Promise<number> {
  if (ids === undefined) return 0;
  const [row] = await store.rows<{ n: number | string }>(
    sql`SELECT uniqExact(id) AS n FROM (${ids})`,
  );
  return Number(row!.n);
}
