import { Injectable } from '@nestjs/common';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { sortedPositions, type SortedRows } from './tables.sql.js';

/** Clients that page through an order rarely go beyond this, and ClickHouse finds that many rows fast. */
const FIRST_PAGES = 10_000;
/** Cached positions over all orders: 32 MiB. */
const CACHE_MAX_POSITIONS = 8 * 1024 * 1024;
/** A table never changes, but its rows may be uploaded after it. */
const CACHE_MS = 60_000;

export interface TableOrder {
  readonly positions: Uint32Array;
  readonly isWhole: boolean;
}

interface CachedOrder {
  readonly order: Promise<TableOrder>;
  readonly until: number;
  size: number;
}

/** Caches the sort orders of tables, so that only the first page of an order has to sort. */
@Injectable()
export class TableOrders {
  private readonly cache = new Map<string, CachedOrder>();

  constructor(private readonly executor: QueryExecutor) {}

  /** An order that has at least its first `upTo` positions, or all of them. */
  async order(rows: SortedRows, upTo: number, context: ReadContext): Promise<TableOrder> {
    const key = JSON.stringify([rows.projectId, rows.digest, rows.sort, rows.rowDigests]);
    const reaches = ({ isWhole, positions }: TableOrder) => isWhole || positions.length >= upTo;
    const known = await this.cached(key);
    if (known && reaches(known)) return known;
    if (upTo <= FIRST_PAGES) {
      const first = await this.put(key, this.sort(rows, 2 * FIRST_PAGES, context));
      if (reaches(first)) return first;
    }
    return this.put(key, this.sort(rows, undefined, context));
  }

  private async cached(key: string): Promise<TableOrder | undefined> {
    const one = this.cache.get(key);
    if (one === undefined || one.until < Date.now()) return undefined;
    // The request that began to sort may have been cancelled, which is not an error of this one.
    return one.order.catch(() => undefined);
  }

  private async put(key: string, order: Promise<TableOrder>): Promise<TableOrder> {
    const one = { order, until: Date.now() + CACHE_MS, size: 0 };
    this.cache.delete(key);
    this.cache.set(key, one);
    try {
      const found = await order;
      one.size = found.positions.length;
      this.evictOldest();
      return found;
    } catch (error) {
      if (this.cache.get(key) === one) this.cache.delete(key);
      throw error;
    }
  }

  private evictOldest(): void {
    let size = [...this.cache.values()].reduce((sum, one) => sum + one.size, 0);
    for (const [key, one] of this.cache) {
      if (size <= CACHE_MAX_POSITIONS && one.until >= Date.now()) return;
      this.cache.delete(key);
      size -= one.size;
    }
  }

  private async sort(
    rows: SortedRows,
    limit: number | undefined,
    context: ReadContext,
  ): Promise<TableOrder> {
    const bytes = await this.executor.bytes(sortedPositions(rows, limit), context);
    const found = new Uint32Array(bytes.length / 4);
    for (let i = 0; i < found.length; i++) found[i] = bytes.readUInt32LE(4 * i);
    const isWhole = limit === undefined || found.length < limit;
    return { positions: found.filter((position, i) => position !== found[i - 1]), isWhole };
  }
}
