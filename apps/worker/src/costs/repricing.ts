import { Injectable } from '@nestjs/common';
import { Store } from '@app/clickhouse';
import { PricedSql, PriceList, priceOf, pricesOfUsed, type StoredPrice } from '@app/pricing';
import { nowMillis } from '@app/wire';
import { RewriteLock } from '../repair/rewrite-lock.js';
import { repriceMonth, usedModels, usedMonths } from './repricing.sql.js';

export interface RepricingProgress {
  /** Calls that were checked. */
  readonly done: number;
  readonly total: number;
}

/** Updates the costs in the rows of calls to current prices. Safe to run at any time. */
@Injectable()
export class Repricing {
  constructor(
    private readonly store: Store,
    private readonly lock: RewriteLock,
  ) {}

  /**
   * Reprices one month at a time, newest first. The caller can pause between months. Rejects with RewriteRunningError while
   * rows are erased: a row that was read before would be inserted again after it.
   */
  async *reprice(projectId: string, now = nowMillis()): AsyncGenerator<RepricingProgress> {
    type Month = { month: number; calls: number | string };
    const months = await this.store.rows<Month>(usedMonths(projectId));
    const total = months.reduce((sum, { calls }) => sum + Number(calls), 0);
    const priced = await this.priced(projectId);
    let done = 0;
    for (const { month, calls } of months) {
      const statement = repriceMonth(projectId, Number(month), priced, now);
      await this.lock.step(() => this.store.run(statement));
      done += Number(calls);
      yield { done, total };
    }
  }

  private async priced(projectId: string): Promise<PricedSql> {
    const statement = pricesOfUsed(projectId, usedModels(projectId));
    const rows = await this.store.rows<StoredPrice>(statement);
    return new PricedSql(new PriceList(rows.map(priceOf)));
  }
}
