import { Injectable } from '@nestjs/common';
import type { Sql } from '@app/clickhouse';
import { PriceList, priceOf, pricesFor, pricesOfUsed, type StoredPrice } from '@app/pricing';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';

/** Reads the prices in force in a project. They are not cached, so that a corrected price applies to history at once. */
@Injectable()
export class PricesReader {
  constructor(private readonly executor: QueryExecutor) {}

  async listFor(
    projectId: string,
    models: Iterable<string>,
    context: ReadContext,
  ): Promise<PriceList> {
    const distinct = [...new Set(models)];
    if (distinct.length === 0) return new PriceList([]);
    const rows = await this.executor.rows<StoredPrice>(pricesFor(projectId, distinct), context);
    return new PriceList(rows.map(priceOf));
  }

  /** The prices of the models that a subquery selects. */
  async listOfUsed(projectId: string, models: Sql, context: ReadContext): Promise<PriceList> {
    const rows = await this.executor.rows<StoredPrice>(pricesOfUsed(projectId, models), context);
    return new PriceList(rows.map(priceOf));
  }
}
