import { Injectable } from '@nestjs/common';
import {
  FILES,
  PRICES,
  raw,
  RECORD_EVENTS,
  sql,
  Store,
  TABLE_POSITIONS,
  TABLE_ROWS,
  type Table,
} from '@app/clickhouse';
import type { AnyRecordFact, Ordered } from '@app/events';
import { requireYoung } from '../pipeline/flush-age.js';
import { eventRow, recordRows, type TableRows } from './record-rows.js';

/** Content-addressed, append-only tables: part of the log, not a projection of it. */
const CONTENT: ReadonlySet<string> = new Set(
  [TABLE_ROWS, TABLE_POSITIONS, FILES].map(({ name }) => name),
);

/**
 * Writes facts about records to the log and to their tables. Content is written before the rows that refer to it. The log is
 * written concurrently: the facts stay in Redis until both are done, and every insert may be repeated.
 */
@Injectable()
export class RecordsWriter {
  constructor(private readonly store: Store) {}

  /** Resolves when ClickHouse has stored log and rows. May be repeated. */
  async write(facts: readonly Ordered<AnyRecordFact>[]): Promise<void> {
    const beganAt = Date.now();
    const parts = facts.flatMap(recordRows);
    const content = parts.filter(({ table }) => CONTENT.has(table.name));
    const writeRows = async () => {
      await this.insert(content);
      requireYoung(beganAt);
      await this.project(parts);
    };
    await Promise.all([this.store.insert(RECORD_EVENTS, facts.map(eventRow)), writeRows()]);
  }

  /** Writes projections only. A rebuild writes them to its shadow tables, whose names end in `suffix`. */
  async project(parts: readonly TableRows[], suffix = ''): Promise<void> {
    const projections = parts.filter(({ table }) => !CONTENT.has(table.name));
    await this.insert(
      projections.map(({ table, rows }) => ({ table: named(table, suffix), rows })),
    );
  }

  /** Default prices are imported and not in the log, so a rebuild copies them. */
  async copyDefaultPrices(suffix: string): Promise<void> {
    const into = raw(`${PRICES.name}${suffix}`);
    await this.store.run(sql`INSERT INTO ${into} SELECT * FROM prices WHERE level = 'default'`);
  }

  private async insert(parts: readonly TableRows[]): Promise<void> {
    await Promise.all(byTable(parts).map(({ table, rows }) => this.store.insert(table, rows)));
  }
}

function named<Row>(table: Table<Row>, suffix: string): Table<Row> {
  return suffix === '' ? table : { ...table, name: `${table.name}${suffix}` };
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
