import type {
  Engine,
  EngineInsert,
  EngineResult,
  NativeConnection,
  NativeStream,
} from './engine.js';
import { engineError, TIMEOUT_EXCEEDED } from './engine-errors.js';
import { identifier } from './sql-text.js';

/** What every connection of one engine is opened with. */
export interface EnginePlace {
  readonly path: string;
  readonly args: readonly string[];
}

/**
 * Runs one statement at a time, and carries nothing but its database from one to the next. When a
 * statement fails, the engine keeps the rows it had already written and would put them before the result
 * of the next statement, so a failure reopens the connection.
 */
export class Connection {
  private native: NativeConnection;
  private database = 'default';

  constructor(
    private readonly engine: Engine,
    private readonly place: EnginePlace,
  ) {
    this.native = this.open();
  }

  async use(database: string): Promise<void> {
    if (database === this.database) return;
    await this.run(`USE ${identifier(database)}`, 'Null');
    this.database = database;
  }

  run(sql: string, format: string): Promise<EngineResult> {
    return this.orReopen(this.engine.QueryAsyncConnection(this.native, sql, format));
  }

  insert(sql: string, rows: Buffer): Promise<EngineInsert> {
    return this.orReopen(this.engine.InsertRawAsyncConnection(this.native, sql, rows, false));
  }

  async insertFromFile(sql: string): Promise<EngineInsert> {
    const { rowsRead, bytesRead, elapsed } = await this.run(sql, 'Null');
    return { rowsWritten: rowsRead, bytesWritten: bytesRead, elapsed };
  }

  /**
   * The engine ends a stream that has taken too long as if it were complete (chdb 3, once its tables are open): only the
   * clock tells, so one that ends after its time has failed.
   */
  async *stream(sql: string, format: string, maxSeconds = 0): AsyncGenerator<Uint8Array, void> {
    const begun = performance.now();
    const stream = this.planned(sql, format);
    let block = await this.orReopen(this.engine.StreamFetch(stream));
    let isOpen = !block.done;
    try {
      while (isOpen) {
        yield block.bytes;
        isOpen = false; // a stream that fails is closed by the engine
        block = await this.orReopen(this.engine.StreamFetch(stream));
        isOpen = !block.done;
      }
    } finally {
      if (isOpen) this.abandon(stream);
    }
    const seconds = (performance.now() - begun) / 1000;
    if (maxSeconds > 0 && seconds >= maxSeconds) throw tookTooLong(seconds, maxSeconds);
  }

  close(): void {
    this.engine.CloseConnection(this.native);
  }

  private open(): NativeConnection {
    return this.engine.CreateConnection(this.place.path, this.place.args);
  }

  private reopen(): void {
    this.close();
    this.native = this.open();
    this.database = 'default';
  }

  private async orReopen<R>(statement: Promise<R>): Promise<R> {
    try {
      return await statement;
    } catch (error) {
      this.reopen();
      throw error;
    }
  }

  private planned(sql: string, format: string): NativeStream {
    try {
      return this.engine.StreamQuery(this.native, sql, format);
    } catch (error) {
      this.reopen();
      throw error;
    }
  }

  private abandon(stream: NativeStream): void {
    this.engine.StreamCancel(stream);
    this.reopen();
  }
}

function tookTooLong(seconds: number, maxSeconds: number): Error {
  const sentence = `Timeout exceeded: elapsed ${seconds.toFixed(1)} seconds, maximum: ${maxSeconds}.`;
  return engineError(TIMEOUT_EXCEEDED, 'TIMEOUT_EXCEEDED', sentence);
}
