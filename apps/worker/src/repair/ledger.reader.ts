import { Injectable } from '@nestjs/common';
import { Store, type Sql } from '@app/clickhouse';
import { Ledger, type CountedBalance, type LedgerBalance } from '@app/queue';
import {
  factCount,
  missingFacts,
  movedFacts,
  otherUsageThanCalls,
  receiptSums,
  staleStarted,
  type LedgerScope,
  type Share,
} from './ledger.sql.js';

/** The counts that the five equations compare, of a project or in total, and whether each equation holds. */
export interface LedgerLine extends LedgerBalance {
  readonly project: string;
  /** Those of the received and settled facts whose counts were moved from Redis to ClickHouse. */
  readonly moved: number;
  /** Σ facts of the receipts. */
  readonly receipts: number;
  /** Fact ids of the receipts that are neither in the log nor among the dead letters. */
  readonly missingFacts: number;
  /** Started calls whose row was not folded from all their facts, although no fact is a dead letter. */
  readonly staleCalls: number;
  /** Root calls whose usage differs from `root_usage`, which reports read. */
  readonly callsWithOtherUsage: number;
  readonly holds: readonly [boolean, boolean, boolean, boolean, boolean];
}

/** The log is read in the order of its key, so that ClickHouse aggregates one call at a time. */
const SETTINGS = { optimize_aggregation_in_order: 1 } as const;
/** Needs 256 MB of memory. A larger log is read once per share. */
const FACTS_PER_SHARE = 1_000_000;

const NONE: CountedBalance = { received: 0, settled: 0, pending: 0, isBalanced: true };

export interface LedgerEffort {
  /** Undefined leaves the number to ClickHouse. */
  readonly threads?: number;
  readonly factsPerShare?: number;
}

/** Compares the counts of the queue with the contents of ClickHouse. */
@Injectable()
export class LedgerReader {
  constructor(
    private readonly ledger: Ledger,
    private readonly store: Store,
  ) {}

  /** One line for every project with facts in the queue or in ClickHouse. All equations hold when nothing is pending. */
  async read(scope: LedgerScope = {}, effort: LedgerEffort = {}): Promise<LedgerLine[]> {
    const balances = await this.ledger.count();
    const receipts = await this.counts([receiptSums(scope)], effort);
    const moved = await this.counts([movedFacts(scope)], effort);
    const shares = await this.sharesOf(scope, effort);
    const missing = await this.counts(
      shares.map((share) => missingFacts(scope, share)),
      effort,
    );
    const stale = await this.counts(
      shares.map((share) => staleStarted(scope, share)),
      effort,
    );
    const otherUsage = await this.counts(
      shares.map((share) => otherUsageThanCalls(scope, share)),
      effort,
    );
    // A Redis that has lost its counters lacks projects whose facts are in ClickHouse.
    const counted = [balances, moved, receipts, missing, stale, otherUsage];
    const known = new Set(counted.flatMap((map) => [...map.keys()]));
    return [...known]
      .filter((project) => scope.projectId === undefined || project === scope.projectId)
      .sort()
      .map((project) =>
        lineOf(project, balances.get(project) ?? NONE, {
          moved: moved.get(project) ?? 0,
          receipts: receipts.get(project) ?? 0,
          missingFacts: missing.get(project) ?? 0,
          staleCalls: stale.get(project) ?? 0,
          callsWithOtherUsage: otherUsage.get(project) ?? 0,
        }),
      );
  }

  private async sharesOf(scope: LedgerScope, effort: LedgerEffort): Promise<Share[]> {
    const facts = (await this.counts([factCount(scope)], effort)).get('') ?? 0;
    const of = Math.max(1, Math.ceil(facts / (effort.factsPerShare ?? FACTS_PER_SHARE)));
    return Array.from({ length: of }, (_, nth) => ({ nth, of }));
  }

  /** The sums of all queries, by project. */
  private async counts(
    queries: readonly Sql[],
    { threads }: LedgerEffort,
  ): Promise<Map<string, number>> {
    const settings = { ...SETTINGS, ...(threads !== undefined && { max_threads: threads }) };
    const sums = new Map<string, number>();
    for (const query of queries) {
      type Row = { project_id: string; n: number | string };
      for (const { project_id, n } of await this.store.rows<Row>(query, settings))
        sums.set(project_id, (sums.get(project_id) ?? 0) + Number(n));
    }
    return sums;
  }
}

type Stored = Pick<
  LedgerLine,
  'moved' | 'receipts' | 'missingFacts' | 'staleCalls' | 'callsWithOtherUsage'
>;

function lineOf(
  project: string,
  { received, settled, pending, isBalanced }: CountedBalance,
  stored: Stored,
) {
  const holds = [
    isBalanced,
    settled + stored.moved === stored.receipts,
    stored.missingFacts === 0,
    stored.staleCalls === 0,
    stored.callsWithOtherUsage === 0,
  ] as const;
  const { moved } = stored;
  return {
    project,
    received: received + moved,
    settled: settled + moved,
    pending,
    ...stored,
    holds,
  };
}

/** Sums all projects. An equation holds in total only if it holds in each project. */
export function totalOf(lines: readonly LedgerLine[]): LedgerLine {
  const sum = (of: (line: LedgerLine) => number) =>
    lines.reduce((total, line) => total + of(line), 0);
  const holds = ([0, 1, 2, 3, 4] as const).map((i) => lines.every((line) => line.holds[i]));
  return {
    project: 'total',
    received: sum((line) => line.received),
    settled: sum((line) => line.settled),
    pending: sum((line) => line.pending),
    moved: sum((line) => line.moved),
    receipts: sum((line) => line.receipts),
    missingFacts: sum((line) => line.missingFacts),
    staleCalls: sum((line) => line.staleCalls),
    callsWithOtherUsage: sum((line) => line.callsWithOtherUsage),
    holds: holds as unknown as LedgerLine['holds'],
  };
}
