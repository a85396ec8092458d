import type { Store } from '@app/clickhouse';
import { bind, sql, type Sql } from '@app/clickhouse';
import type { Ledger } from '@app/queue';

/** What a project's four equations compare, and whether they hold. */
export interface LedgerLine {
  readonly project: string;
  readonly received: number;
  readonly settled: number;
  readonly pending: number;
  /** Σ facts of the receipts. */
  readonly receipts: number;
  /** Fact ids of the receipts that are neither in the log nor among the dead letters. */
  readonly missingFacts: number;
  /** Started calls whose row does not know all their facts. */
  readonly staleCalls: number;
  readonly holds: readonly [boolean, boolean, boolean, boolean];
}

export async function readLedger(
  ledger: Ledger,
  store: Store,
  only?: string,
): Promise<LedgerLine[]> {
  const balances = await ledger.balances();
  const projects = [...balances.keys()]
    .filter((project) => only === undefined || project === only)
    .sort();
  const lines: LedgerLine[] = [];
  for (const project of projects) {
    const balance = balances.get(project)!;
    const receipts = await number(store, receiptSum(project));
    const missingFacts = await number(store, missing(project));
    const staleCalls = await number(store, stale(project));
    const { received, settled, pending } = balance;
    const holds = [
      received === settled + pending,
      settled === receipts,
      missingFacts === 0,
      staleCalls === 0,
    ] as const;
    lines.push({ project, ...balance, receipts, missingFacts, staleCalls, holds });
  }
  return lines;
}

async function number(store: Store, question: Sql): Promise<number> {
  const [row] = await store.rows<{ n: number | string }>(question);
  return Number(row?.n ?? 0);
}

function receiptSum(project: string): Sql {
  return sql`SELECT sum(facts) AS n FROM receipts FINAL WHERE project_id = ${bind('String', project)}`;
}

function missing(project: string): Sql {
  const p = bind('String', project);
  return sql`SELECT count() AS n FROM (
  SELECT DISTINCT arrayJoin(fact_ids) AS fact FROM receipts FINAL WHERE project_id = ${p}
)
WHERE fact NOT IN (SELECT event_id FROM call_events WHERE project_id = ${p})
  AND lower(hex(fact)) NOT IN (SELECT id FROM dead_letters WHERE project_id = ${p})`;
}

function stale(project: string): Sql {
  const p = bind('String', project);
  return sql`SELECT count() AS n
FROM (
  SELECT call_id, uniqExact(event_id) AS facts FROM call_events WHERE project_id = ${p}
  GROUP BY call_id HAVING countIf(kind IN ('start', 'complete')) > 0
) AS log
LEFT JOIN (
  SELECT id, max(bitAnd(version, 4611686018427387903)) AS folded FROM calls WHERE project_id = ${p} GROUP BY id
) AS row ON row.id = log.call_id
WHERE log.facts != row.folded`;
}
