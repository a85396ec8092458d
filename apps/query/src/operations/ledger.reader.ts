import { Injectable } from '@nestjs/common';
import { covers, EVERYTHING } from '@app/auth';
import type { LedgerEquationRecord, LedgerProjectRecord, LedgerResponse } from '@app/contracts';
import {
  EQUATIONS,
  Ledger,
  type BrokenLedger,
  type CountedBalance,
  type LedgerCheck,
} from '@app/queue';
import { queueError } from '@app/redis';

const BROKEN_MAX = 100;
const NONE = { received: 0, settled: 0, pending: 0, isBalanced: true };
const NOTHING_FOUND = {
  unbalancedFacts: 0,
  missingFacts: 0,
  staleCalls: 0,
  callsWithOtherUsage: 0,
};
type Found = typeof NOTHING_FOUND;

/** The first equation as it is now, and the others as a worker last found them. */
@Injectable()
export class LedgerReader {
  constructor(private readonly ledger: Ledger) {}

  async read(scope: string): Promise<LedgerResponse> {
    try {
      const [counted, check] = await Promise.all([this.ledger.count(), this.ledger.lastCheck()]);
      return ledgerResponse(scope, counted, check);
    } catch (error) {
      throw queueError(error);
    }
  }
}

export function ledgerResponse(
  scope: string,
  counted: ReadonlyMap<string, CountedBalance>,
  check: LedgerCheck | undefined,
): LedgerResponse {
  const balances = [...counted].filter(([project]) => covers(scope, project));
  const found = new Map(
    (check?.broken ?? [])
      .filter(({ project }) => covers(scope, project))
      .map((one) => [one.project, one]),
  );
  const unbalanced = balances.flatMap(([project, { isBalanced }]) => (isBalanced ? [] : [project]));
  const broken = [...new Set([...found.keys(), ...unbalanced])].sort().slice(0, BROKEN_MAX);
  const sum = (of: (balance: CountedBalance) => number) =>
    balances.reduce((total, [, balance]) => total + of(balance), 0);
  const isChecked = check !== undefined && check.checkedAt > 0;
  return {
    checked_at: isChecked ? new Date(check.checkedAt).toISOString() : null,
    projects: balances.length,
    received: sum(({ received }) => received),
    settled: sum(({ settled }) => settled),
    pending: sum(({ pending }) => pending),
    equations: equationsOf(
      unbalanced.length === 0,
      isChecked ? totalOf(scope, check, [...found.values()]) : undefined,
    ),
    broken: broken.map((project) =>
      projectRecord(project, counted.get(project) ?? NONE, found.get(project) ?? NOTHING_FOUND),
    ),
  };
}

/** A check names a hundred projects at most, so that its own sums decide for the whole server. */
function totalOf(scope: string, check: LedgerCheck, found: readonly BrokenLedger[]): Found {
  if (scope === EVERYTHING) return check;
  const sum = (of: (one: BrokenLedger) => number) =>
    found.reduce((total, one) => total + of(one), 0);
  return {
    unbalancedFacts: sum((one) => one.unbalancedFacts),
    missingFacts: sum((one) => one.missingFacts),
    staleCalls: sum((one) => one.staleCalls),
    callsWithOtherUsage: sum((one) => one.callsWithOtherUsage),
  };
}

function equationsOf(isBalanced: boolean, total: Found | undefined): LedgerEquationRecord[] {
  const counts = total && [
    total.unbalancedFacts,
    total.missingFacts,
    total.staleCalls,
    total.callsWithOtherUsage,
  ];
  return EQUATIONS.map((equation, i) => ({
    equation,
    holds: i === 0 ? isBalanced : counts === undefined ? null : counts[i - 1] === 0,
  }));
}

const projectRecord = (
  project_id: string,
  { received, settled, pending }: CountedBalance,
  found: Found,
): LedgerProjectRecord => ({
  ...{ project_id, received, settled, pending },
  unbalanced_facts: found.unbalancedFacts,
  missing_facts: found.missingFacts,
  stale_calls: found.staleCalls,
  calls_with_other_usage: found.callsWithOtherUsage,
});
