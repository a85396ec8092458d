import { setImmediate as nextTick } from 'node:timers/promises';
import { ByteWriter, encodeRows, type Table } from './row-binary.js';
import { StoreRefusedError } from './store-errors.js';

/** Encoding this number of calls takes a millisecond or two. */
const ROWS_PER_TICK = 32;
const POOLED_WRITERS = 4;
const POOLED_WRITER_MAX_BYTES = 32 * 1024 ** 2;
/** After this time in which no insert needed them, buffers are given up. */
const IDLE_MS = 2000;
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
  private idleTimer: NodeJS.Timeout | undefined;

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
    const now = performance.now();
    if (writer.length >= writer.capacity * NEEDED_PART) pooled.neededAt = now;
    else if (now - pooled.neededAt > IDLE_MS) return;
    writer.truncate(0);
    this.pool.push(pooled);
    this.idleTimer ??= setTimeout(() => this.giveUp(), IDLE_MS).unref();
    this.idleTimer.refresh();
  }

  private giveUp(): void {
    this.pool = [];
    this.idleTimer = undefined;
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
