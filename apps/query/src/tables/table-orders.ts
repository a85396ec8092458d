import { Injectable } from '@nestjs/common';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { sortedPositions, type SortedRows } from './tables.sql.js';

/** Who pages through an order seldom goes beyond this; so much of it is quickly found. */
const FIRST_PAGES = 10_000;
/** Positions of all orders that are remembered: 32 MiB. */
const REMEMBER_POSITIONS = 8 * 1024 * 1024;
/** A table does not change, but rows that it names may be uploaded after it. */
const REMEMBER_MS = 60_000;

export interface TableOrder {
  readonly positions: Uint32Array;
  readonly isWhole: boolean;
}

interface Remembered {
  readonly order: Promise<TableOrder>;
  readonly until: number;
  size: number;
}

/** Orders of tables that were asked for lately, so that only the first page of many has to sort. */
@Injectable()
export class TableOrders {
  private readonly remembered = new Map<string, Remembered>();

  constructor(private readonly executor: QueryExecutor) {}

  /** An order that is known at least up to that place, or to its end. */
  async order(rows: SortedRows, upTo: number, context: ReadContext): Promise<TableOrder> {
    const key = JSON.stringify([rows.projectId, rows.digest, rows.sort, rows.rowDigests]);
    const reaches = ({ isWhole, positions }: TableOrder) => isWhole || positions.length >= upTo;
    const known = await this.known(key);
    if (known && reaches(known)) return known;
    if (upTo <= FIRST_PAGES) {
      const first = await this.remember(key, this.ask(rows, 2 * FIRST_PAGES, context));
      if (reaches(first)) return first;
    }
    return this.remember(key, this.ask(rows, undefined, context));
  }

  private async known(key: string): Promise<TableOrder | undefined> {
    const one = this.remembered.get(key);
    if (one === undefined || one.until < Date.now()) return undefined;
    // Whoever began to sort may have gone away; that is no failure of ours.
    return one.order.catch(() => undefined);
  }

  private async remember(key: string, order: Promise<TableOrder>): Promise<TableOrder> {
    const one = { order, until: Date.now() + REMEMBER_MS, size: 0 };
    this.remembered.delete(key);
    this.remembered.set(key, one);
    try {
      const found = await order;
      one.size = found.positions.length;
      this.forgetOldest();
      return found;
    } catch (error) {
      if (this.remembered.get(key) === one) this.remembered.delete(key);
      throw error;
    }
  }

  private forgetOldest(): void {
    let size = [...this.remembered.values()].reduce((sum, one) => sum + one.size, 0);
    for (const [key, one] of this.remembered) {
      if (size <= REMEMBER_POSITIONS && one.until >= Date.now()) return;
      this.remembered.delete(key);
      size -= one.size;
    }
  }

  private async ask(
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
