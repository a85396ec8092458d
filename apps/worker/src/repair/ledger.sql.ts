import { and, atMillis, bind, raw, sql, type Sql } from '@app/clickhouse';
import type { Millis } from '@app/wire';
import { DELETES, foldedRows } from './folded-rows.sql.js';

/** The part of the ledger to check. */
export interface LedgerScope {
  readonly projectId?: string;
  /** Receipts and facts that came later may be of a flush that is still in progress. */
  readonly storedBefore?: Millis;
}

/** The `nth` of `of` shares of all calls and facts. One share fits in the memory of one query. */
export interface Share {
  readonly nth: number;
  readonly of: number;
}

const inShare = (id: Sql, { nth, of }: Share) =>
  of > 1 && sql`cityHash64(${id}) % ${bind('UInt32', of)} = ${bind('UInt32', nth)}`;

/** The approximate number of facts in the log. */
export function factCount(scope: LedgerScope): Sql {
  return sql`SELECT '' AS project_id, count() AS n FROM call_events WHERE ${ofProject(scope)}`;
}

const ofProject = ({ projectId }: LedgerScope): Sql =>
  and([projectId !== undefined && sql`project_id = ${bind('String', projectId)}`]);

const before = (column: Sql, { storedBefore }: LedgerScope) =>
  storedBefore !== undefined && sql`${column} < ${atMillis(storedBefore)}`;

/** Σ facts of the receipts, including those that are rolled up into totals. */
export function receiptSums(scope: LedgerScope): Sql {
  const project = ofProject(scope);
  return sql`SELECT project_id, sum(facts) AS n
FROM (
  SELECT project_id, facts FROM receipts FINAL WHERE ${project}
    AND (project_id, toYYYYMMDD(stored_at)) GLOBAL NOT IN (SELECT project_id, day FROM receipt_totals WHERE ${project})
  UNION ALL SELECT project_id, facts FROM receipt_totals FINAL WHERE ${project} AND day != ${bind('UInt32', MOVED_DAY)}
)
GROUP BY project_id`;
}

/** Not a day: the row of `receipt_totals` with the settled facts of a project whose counts were moved out of Redis. */
export const MOVED_DAY = 0;

export function movedFacts(scope: LedgerScope): Sql {
  const isMoved = sql`day = ${bind('UInt32', MOVED_DAY)}`;
  return sql`SELECT project_id, facts AS n FROM receipt_totals FINAL WHERE ${and([ofProject(scope), isMoved])}`;
}

/**
 * Fact ids of the receipts that are neither in the log nor among the dead letters, and that neither an erasure nor retention
 * has removed. A fact id is unique over all projects.
 */
export function missingFacts(scope: LedgerScope, share: Share): Sql {
  const project = ofProject(scope);
  const receipted = and([project, before(sql`stored_at`, scope)]);
  const facts = sql`SELECT project_id, arrayJoin(fact_ids) AS fact FROM receipts FINAL WHERE ${receipted}`;
  const some = sql`SELECT DISTINCT project_id, fact FROM (${facts}) WHERE ${and([inShare(sql`fact`, share)])}`;
  return sql`SELECT project_id, count() AS n
FROM (${some})
WHERE fact NOT IN (
    SELECT event_id FROM call_events
    WHERE ${and([project, inShare(sql`event_id`, share)])} AND event_id GLOBAL IN (SELECT fact FROM (${some}))
  )
  AND lower(hex(fact)) NOT IN (SELECT id FROM dead_letters WHERE ${project})
  AND fact NOT IN (SELECT fact FROM removed_facts WHERE ${and([project, inShare(sql`fact`, share)])})
GROUP BY project_id`;
}

/**
 * Started calls whose row was folded from fewer or more facts than the log has. A call with a dead letter may lack facts,
 * until the dead letter is replayed. A deleted call must not be visible; an erasure has removed its other facts, so their
 * number proves nothing.
 */
export function staleStarted(scope: LedgerScope, share: Share): Sql {
  const project = ofProject(scope);
  const isStarted = sql`countIf(kind IN ('start', 'complete')) > 0`;
  return sql`SELECT log.project_id AS project_id, count() AS n
FROM (
  SELECT project_id, call_id, uniqExact(event_id) AS facts, ${DELETES} AS deletes, countIf(event_id GLOBAL IN (
    SELECT toFixedString(unhex(id), 16) FROM dead_letters FINAL WHERE ${project} AND kind != 'rejected' AND state != 'replayed'
  )) AS deadLettered
  FROM call_events WHERE ${and([project, inShare(sql`call_id`, share)])}
  GROUP BY project_id, call_id HAVING ${and([isStarted, before(sql`max(stored_at)`, scope)])}
) AS log
LEFT JOIN (
  ${foldedRows(and([project, inShare(sql`id`, share)]))}
) AS row ON row.project_id = log.project_id AND row.id = log.call_id
WHERE if(log.deletes > 0, row.isVisible = 1, row.folded > log.facts OR (row.folded < log.facts AND log.deadLettered = 0))
GROUP BY project_id`;
}

const USAGE =
  'started_at, model, requests, prompt, uncached, completion, cache_read, cache_write, total';

/**
 * Root calls whose usage is not the same in `calls` and in `root_usage`. Calls with a later fact are left out, because a flush
 * may have written one of the two tables so far.
 */
export function otherUsageThanCalls(scope: LedgerScope, share: Share): Sql {
  const { storedBefore } = scope;
  const settled =
    storedBefore !== undefined &&
    sql`(project_id, id) GLOBAL NOT IN (
    SELECT project_id, call_id FROM call_events WHERE ${ofProject(scope)} AND stored_at >= ${atMillis(storedBefore)}
  )`;
  const where = and([ofProject(scope), inShare(sql`id`, share), settled]);
  const digest = raw(`cityHash64(${USAGE})`);
  return sql`SELECT project_id, count() AS n
FROM (
  SELECT project_id, id
  FROM (
    SELECT project_id, id, ${digest} AS digest, 0 AS reported
    FROM (SELECT * FROM calls FINAL WHERE ${where} AND notEmpty(usage_model) AND (parent_id = '' OR otel_dump != ''))
    ARRAY JOIN usage_model AS model, usage_requests AS requests, usage_prompt AS prompt, usage_uncached AS uncached,
      usage_completion AS completion, usage_cache_read AS cache_read, usage_cache_write AS cache_write, usage_total AS total
    UNION ALL SELECT project_id, id, ${digest}, 1 FROM root_usage FINAL WHERE ${where}
  )
  GROUP BY project_id, id HAVING sumIf(digest, reported = 0) != sumIf(digest, reported = 1)
)
GROUP BY project_id`;
}
