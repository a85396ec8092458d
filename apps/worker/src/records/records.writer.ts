import { Injectable } from '@nestjs/common';
import { RECORD_EVENTS, Store, type Table } from '@app/clickhouse';
import type { AnyRecordFact, Ordered } from '@app/events';
import { eventRow, recordRows, type TableRows } from './record-rows.js';

/** Facts about records → log → tables. In this order, so that the log knows everything the tables know. */
@Injectable()
export class RecordsWriter {
  constructor(private readonly store: Store) {}

  /** Resolves when log and tables hold the facts. May be repeated. */
  async write(facts: readonly Ordered<AnyRecordFact>[]): Promise<void> {
    await this.store.insert(RECORD_EVENTS, facts.map(eventRow));
    await this.project(facts);
  }

  /** The tables alone; what a rebuild does with the facts of the log. */
  async project(facts: readonly Ordered<AnyRecordFact>[]): Promise<void> {
    const groups = byTable(facts.flatMap(recordRows));
    await Promise.all([...groups].map(([table, rows]) => this.store.insert(table, rows)));
  }
}

function byTable(parts: readonly TableRows[]): Map<Table<unknown>, unknown[]> {
  const groups = new Map<Table<unknown>, unknown[]>();
  for (const { table, rows } of parts) {
    const group = groups.get(table) ?? [];
    for (const row of rows) group.push(row);
    groups.set(table, group);
  }
  return groups;
}
