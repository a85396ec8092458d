import type { Engine, EngineInsert, EngineResult, NativeConnection } from './engine.js';
import { identifier } from './sql-text.js';

/** What every connection of one engine is opened with. */
export interface EnginePlace {
  readonly path: string;
  readonly args: readonly string[];
}

/** Runs one statement at a time, and carries nothing but its database from one to the next. */
export class Connection {
  private readonly native: NativeConnection;
  private database = 'default';

  constructor(
    private readonly engine: Engine,
    place: EnginePlace,
  ) {
    this.native = engine.CreateConnection(place.path, place.args);
  }

  async use(database: string): Promise<void> {
    if (database === this.database) return;
    await this.run(`USE ${identifier(database)}`, 'Null');
    this.database = database;
  }

  run(sql: string, format: string): Promise<EngineResult> {
    return this.engine.QueryAsyncConnection(this.native, sql, format);
  }

  insert(sql: string, rows: Buffer): Promise<EngineInsert> {
    return this.engine.InsertRawAsyncConnection(this.native, sql, rows, false);
  }

  async insertFromFile(sql: string): Promise<EngineInsert> {
    const { rowsRead, bytesRead, elapsed } = await this.run(sql, 'Null');
    return { rowsWritten: rowsRead, bytesWritten: bytesRead, elapsed };
  }

  async *stream(sql: string, format: string): AsyncGenerator<Uint8Array, void> {
    const stream = this.engine.StreamQuery(this.native, sql, format);
    let isOpen = true;
    const fetch = async () => {
      isOpen = false; // the engine closes a stream by itself when it fails or is over
      const { done, bytes } = await this.engine.StreamFetch(stream);
      isOpen = !done;
      return bytes;
    };
    try {
      for (let bytes = await fetch(); isOpen; bytes = await fetch()) yield bytes;
    } finally {
      if (isOpen) this.engine.StreamCancel(stream);
    }
  }

  close(): void {
    this.engine.CloseConnection(this.native);
  }
}
