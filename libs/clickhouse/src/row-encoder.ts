import { setImmediate as nextTick } from 'node:timers/promises';
import type { Table } from './columns.js';
import { NativeBlock } from './native-block.js';
import { StoreRefusedError } from './store-errors.js';

/** Encoding this number of calls takes a millisecond or two. */
const ROWS_PER_TICK = 32;
/** Of one table. */
const POOLED_BLOCKS = 2;
const POOLED_BLOCK_MAX_BYTES = 32 * 1024 ** 2;
/** After this time in which no insert needed its size, the memory of a block is given up. */
const IDLE_MS = 1500;
const SWEEP_MS = 500;
/** An insert that fills a smaller part of a block does not need one of its size. */
const NEEDED_PART = 1 / 4;

interface PooledBlock {
  readonly block: NativeBlock<unknown>;
  /** When an insert last needed its size (ms). */
  neededAt: number;
}

/** Encodes the rows of inserts. Allocating megabytes costs more than filling them, so the inserts of a table share a few blocks. */
export class RowEncoder {
  private readonly pool = new Map<string, PooledBlock[]>();
  private sweepTimer: NodeJS.Timeout | undefined;

  /**
   * Encodes rows, passes their bytes in pieces to `send`, and reuses the memory afterwards. When `send` rejects, the client may
   * still be sending the bytes, so it is not reused.
   */
  async encode<Row>(
    table: Table<Row>,
    rows: readonly Row[],
    send: (pieces: readonly Buffer[]) => Promise<void>,
  ): Promise<void> {
    const pooled = this.pool.get(table.name)?.pop();
    const block = (pooled?.block as NativeBlock<Row> | undefined) ?? new NativeBlock(table);
    await send(await encodeInSteps(table, rows, block));
    this.recycle(table.name, block, pooled?.neededAt ?? performance.now());
  }

  private recycle<Row>(name: string, block: NativeBlock<Row>, neededAt: number): void {
    const pooled = this.pool.get(name) ?? [];
    if (pooled.length >= POOLED_BLOCKS || block.capacity > POOLED_BLOCK_MAX_BYTES) return;
    const isNeeded = block.length >= block.capacity * NEEDED_PART;
    block.clear();
    pooled.push({
      block: block as NativeBlock<unknown>,
      neededAt: isNeeded ? performance.now() : neededAt,
    });
    this.pool.set(name, pooled);
    this.sweepTimer ??= setTimeout(() => this.sweep(), SWEEP_MS).unref();
  }

  private sweep(): void {
    const since = performance.now() - IDLE_MS;
    for (const [name, pooled] of this.pool) {
      const needed = pooled.filter(({ neededAt }) => neededAt > since);
      if (needed.length > 0) this.pool.set(name, needed);
      else this.pool.delete(name);
    }
    if (this.pool.size > 0) this.sweepTimer!.refresh();
    else this.sweepTimer = undefined;
  }
}

/**
 * Encodes rows and yields to the event loop in between, because a large insert takes a tenth of a second to encode. A
 * value that does not fit its column is refused, because a retry would fail again.
 */
async function encodeInSteps<Row>(
  table: Table<Row>,
  rows: readonly Row[],
  block: NativeBlock<Row>,
): Promise<Buffer[]> {
  try {
    for (let at = 0; at < rows.length; at += ROWS_PER_TICK) {
      if (at > 0) await nextTick();
      block.add(rows.slice(at, at + ROWS_PER_TICK));
    }
    return block.written();
  } catch (error) {
    throw new StoreRefusedError(`${table.name}: ${String(error)}`, 0, { cause: error });
  }
}
