import { setImmediate as nextTick } from 'node:timers/promises';
import { ByteWriter, encodeRows, type Table } from './row-binary.js';
import { StoreRefusedError } from './store-errors.js';

/** Encoding this number of calls takes a millisecond or two. */
const ROWS_PER_TICK = 32;
const POOLED_WRITERS = 4;
const POOLED_WRITER_MAX_BYTES = 32 * 1024 ** 2;
/** After this time in which no insert needed its size, a buffer is given up. */
const IDLE_MS = 1500;
const SWEEP_MS = 500;
/** An insert that fills a smaller part of a buffer does not need one of its size. */
const NEEDED_PART = 1 / 4;

interface PooledWriter {
  readonly writer: ByteWriter;
  /** When an insert last needed its size (ms). */
  neededAt: number;
}

/** Encodes the rows of inserts. Allocating megabytes costs more than filling them, so all inserts share a few buffers. */
export class RowEncoder {
  private pool: PooledWriter[] = [];
  private sweepTimer: NodeJS.Timeout | undefined;

  /**
   * Encodes rows, passes their bytes to `send`, and reuses the buffer afterwards. When `send` rejects, the client may still be
   * sending the bytes, so the buffer is not reused.
   */
  async encode<Row>(
    table: Table<Row>,
    rows: readonly Row[],
    send: (bytes: Buffer) => Promise<void>,
  ): Promise<void> {
    const pooled = this.pool.pop() ?? { writer: new ByteWriter(), neededAt: performance.now() };
    await send(await encodeInSteps(table, rows, pooled.writer));
    this.recycle(pooled);
  }

  private recycle(pooled: PooledWriter): void {
    const { writer } = pooled;
    if (this.pool.length >= POOLED_WRITERS || writer.capacity > POOLED_WRITER_MAX_BYTES) return;
    if (writer.length >= writer.capacity * NEEDED_PART) pooled.neededAt = performance.now();
    writer.truncate(0);
    this.pool.push(pooled);
    this.sweepTimer ??= setTimeout(() => this.sweep(), SWEEP_MS).unref();
  }

  private sweep(): void {
    const since = performance.now() - IDLE_MS;
    this.pool = this.pool.filter(({ neededAt }) => neededAt > since);
    if (this.pool.length > 0) this.sweepTimer!.refresh();
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
  to: ByteWriter,
): Promise<Buffer> {
  try {
    for (let at = 0; at < rows.length; at += ROWS_PER_TICK) {
      if (at > 0) await nextTick();
      encodeRows(table, rows.slice(at, at + ROWS_PER_TICK), to);
    }
    return to.written();
  } catch (error) {
    throw new StoreRefusedError(`${table.name}: ${String(error)}`, 0, { cause: error });
  }
}
