import { Injectable } from '@nestjs/common';
import { CALLS, Store, type CallRow } from '@app/clickhouse';

@Injectable()
export class CallsWriter {
  constructor(private readonly store: Store) {}

  /** Resolves when ClickHouse has stored the rows. Writing a row twice leaves the same call. */
  write(rows: readonly CallRow[]): Promise<void> {
    return this.store.insert(CALLS, rows);
  }
}
