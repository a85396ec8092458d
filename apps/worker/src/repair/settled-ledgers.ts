import { Injectable } from '@nestjs/common';
import { RECEIPT_TOTALS, sql, Store } from '@app/clickhouse';
import { flawOf, Ledger, type LedgerMove } from '@app/queue';
import { MOVED_DAY, movedFacts, receiptSums } from './ledger.sql.js';

/** Projects whose counts are moved by one insert. */
const PROJECTS_PER_MOVE = 1000;

/**
 * Moves the counts of settled projects from Redis to ClickHouse, so that a project that is no longer written to takes no memory of
 * Redis. A project is moved when all its receipts are rolled up, that is after a week without a fact, and when its counts are
 * those of the receipts. A move that was interrupted is finished or undone by the next run.
 */
@Injectable()
export class SettledLedgers {
  constructor(
    private readonly ledger: Ledger,
    private readonly store: Store,
  ) {}

  /** Resolves to the number of projects that were moved. */
  async move(): Promise<number> {
    await this.finish(await this.ledger.openMoves());
    const moves = await this.movable();
    let moved = 0;
    for (let at = 0; at < moves.length; at += PROJECTS_PER_MOVE) {
      const some = moves.slice(at, at + PROJECTS_PER_MOVE);
      await this.ledger.openMove(some);
      moved += await this.finish(some);
    }
    return moved;
  }

  private async finish(moves: readonly LedgerMove[]): Promise<number> {
    if (moves.length === 0) return 0;
    await this.insert(moves.map((move) => ({ ...move, facts: move.before + move.facts })));
    const undone: LedgerMove[] = [];
    for (const move of moves) if (!(await this.ledger.finishMove(move))) undone.push(move);
    // The project got facts meanwhile, so its counts stay in Redis.
    await this.insert(undone.map((move) => ({ ...move, facts: move.before })));
    for (const { project } of undone) await this.ledger.undoMove(project);
    return moves.length - undone.length;
  }

  private async movable(): Promise<LedgerMove[]> {
    const balances = await this.ledger.balances();
    const active = await this.activeProjects();
    const receipts = await this.counts(receiptSums({}));
    const moved = await this.counts(movedFacts({}));
    return [...balances].flatMap(([project, { received, settled }]) => {
      const before = moved.get(project) ?? 0;
      const isSettled = settled > 0 && received === settled && !active.has(project);
      // Ingest knows by these counts that a project with a confusable id exists already.
      if (flawOf(project) !== undefined) return [];
      if (!isSettled || before + settled !== receipts.get(project)) return [];
      return [{ project, before, facts: settled }];
    });
  }

  private async activeProjects(): Promise<Set<string>> {
    type Row = { project_id: string };
    const rows = await this.store.rows<Row>(sql`SELECT DISTINCT project_id FROM receipts`);
    return new Set(rows.map(({ project_id }) => project_id));
  }

  private async counts(query: ReturnType<typeof movedFacts>): Promise<Map<string, number>> {
    type Row = { project_id: string; n: number | string };
    const rows = await this.store.rows<Row>(query);
    return new Map(rows.map(({ project_id, n }) => [project_id, Number(n)]));
  }

  private async insert(moves: readonly LedgerMove[]): Promise<void> {
    if (moves.length === 0) return;
    await this.store.insert(
      RECEIPT_TOTALS,
      moves.map(({ project, facts }) => ({ project_id: project, day: MOVED_DAY, facts })),
    );
  }
}
