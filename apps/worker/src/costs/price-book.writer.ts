import { Injectable } from '@nestjs/common';
import { DEFAULT_LEVEL_ID, PRICES, Store, type PriceRow } from '@app/clickhouse';
import {
  dayOf,
  defaultPrices,
  priceChanges,
  priceOf,
  type PriceBook,
  type PriceChange,
  type StoredPrice,
} from '@app/pricing';
import { microsOf, nowMillis, type Micros } from '@app/wire';

/** Stores default prices: those of a price book, effective from its date. */
@Injectable()
export class PriceBookWriter {
  constructor(private readonly store: Store) {}

  /** The changes that storing the book would make. */
  async changes(book: PriceBook): Promise<PriceChange[]> {
    const rows = await this.store.rows<StoredPrice>(defaultPrices());
    return priceChanges(book, rows.map(priceOf));
  }

  /** Whether a book of the same date is stored already; its prices are not overwritten. */
  async isStored(book: PriceBook): Promise<boolean> {
    const rows = await this.store.rows<StoredPrice>(defaultPrices());
    return rows.some(({ effective }) => Number(effective) === dayOf(book));
  }

  /** Stores the changes. Prices of earlier dates stay effective for their days. May be repeated. */
  async write(book: PriceBook, changes: readonly PriceChange[], now = nowMillis()): Promise<void> {
    await this.store.insert(
      PRICES,
      changes.map(({ after }) => rowOf(book, after, microsOf(now))),
    );
  }
}

function rowOf(book: PriceBook, price: PriceChange['after'], now: Micros): PriceRow {
  return {
    level: 'default',
    level_id: DEFAULT_LEVEL_ID,
    llm_id: price.llmId,
    effective_date: dayOf(book),
    id: `default:${book.effectiveDate}:${price.llmId}`,
    provider_id: price.providerId,
    prompt_cost: price.prompt,
    completion_cost: price.completion,
    cache_read_cost: price.cacheRead,
    cache_write_cost: price.cacheWrite,
    prompt_unit: 'USD',
    completion_unit: 'USD',
    created_by: 'system',
    source: book.source,
    created_at: now,
    version: now,
    is_deleted: 0,
  };
}
