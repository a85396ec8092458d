import { createRequire } from 'node:module';

declare const connection: unique symbol;
declare const stream: unique symbol;
export type NativeConnection = { readonly [connection]: never };
export type NativeStream = { readonly [stream]: never };

export interface EngineResult {
  readonly bytes: Uint8Array;
  readonly elapsed: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
}

export interface EngineInsert {
  readonly rowsWritten: number;
  readonly bytesWritten: number;
  readonly elapsed: number;
}

/** The part of chdb's native addon that we use. Its asynchronous calls run on libuv's thread pool. */
export interface Engine {
  CreateConnection(path: string, args: readonly string[]): NativeConnection;
  /** Never while a call is running on it: that ends the engine for the whole process. */
  CloseConnection(connection: NativeConnection): void;
  QueryAsyncConnection(
    connection: NativeConnection,
    sql: string,
    format: string,
  ): Promise<EngineResult>;
  InsertRawAsyncConnection(
    connection: NativeConnection,
    sql: string,
    rows: Buffer,
    countLines: boolean,
  ): Promise<EngineInsert>;
  /** Plans on the calling thread, which includes running scalar subqueries. */
  StreamQuery(connection: NativeConnection, sql: string, format: string): NativeStream;
  StreamFetch(
    stream: NativeStream,
  ): Promise<{ readonly done: boolean; readonly bytes: Uint8Array }>;
  StreamCancel(stream: NativeStream): void;
}

/** chdb is an optional dependency that only the host process may load. */
export function loadEngine(): Engine {
  const chdb = createRequire(import.meta.url).resolve('chdb');
  const loader = createRequire(chdb)('./dist/loader.js') as { loadNative(): Engine };
  return loader.loadNative();
}
