import { Injectable } from '@nestjs/common';
import {
  FILES,
  RECORD_EVENTS,
  Store,
  TABLE_POSITIONS,
  TABLE_ROWS,
  type Table,
} from '@app/clickhouse';
import type { AnyRecordFact, Ordered } from '@app/events';
import { eventRow, recordRows, type TableRows } from './record-rows.js';

/** Kept under their own digest and only ever added to: a part of the log, not a projection of it. */
const CONTENT: ReadonlySet<string> = new Set([TABLE_ROWS, TABLE_POSITIONS, FILES].map(named));

/**
 * Facts about records → log, and content → tables. In this order, so that what can be found can be read. The log goes its
 * own way: until both have arrived the facts are in Redis, and every insert may be repeated.
 */
@Injectable()
export class RecordsWriter {
  constructor(private readonly store: Store) {}

  /** Resolves when log and tables hold the facts. May be repeated. */
  async write(facts: readonly Ordered<AnyRecordFact>[]): Promise<void> {
    const parts = facts.flatMap(recordRows);
    await Promise.all([
      this.store.insert(RECORD_EVENTS, facts.map(eventRow)),
      this.insert(parts.filter(({ table }) => CONTENT.has(table.name))).then(() =>
        this.project(parts),
      ),
    ]);
  }

  /** The projections alone; what a rebuild does with the facts of the log. */
  async project(parts: readonly TableRows[]): Promise<void> {
    await this.insert(parts.filter(({ table }) => !CONTENT.has(table.name)));
  }

  private async insert(parts: readonly TableRows[]): Promise<void> {
    await Promise.all(byTable(parts).map(({ table, rows }) => this.store.insert(table, rows)));
  }
}

function named({ name }: { readonly name: string }): string {
  return name;
}

function byTable(parts: readonly TableRows[]): TableRows[] {
  const groups = new Map<string, { table: Table<unknown>; rows: unknown[] }>();
  for (const { table, rows } of parts) {
    const group = groups.get(table.name) ?? { table, rows: [] };
    for (const row of rows) group.rows.push(row);
    groups.set(table.name, group);
  }
  return [...groups.values()];
}
