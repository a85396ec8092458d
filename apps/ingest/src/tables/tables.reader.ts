import { Injectable } from '@nestjs/common';
import { bind, sql, Store, type Sql } from '@app/clickhouse';

interface CountRow {
  readonly parts: number | string;
  readonly expected: number | string;
  readonly present: number | string;
}

/** Reads what a write needs to know about tables. */
@Injectable()
export class TablesReader {
  constructor(private readonly store: Store) {}

  /** Whether ClickHouse has every position of the table. */
  async isStored(projectId: string, digest: string): Promise<boolean> {
    return (await this.rowCount(projectId, digest)) !== undefined;
  }

  /** Undefined when there is no such table. */
  async rowCount(projectId: string, digest: string): Promise<number | undefined> {
    const { parts, expected, present } = await this.counts(projectId, digest);
    return parts > 0 && expected === present ? expected : undefined;
  }

  /** The digests of the table's rows in order, block by block. */
  async *rowDigests(projectId: string, digest: string): AsyncGenerator<string[], void> {
    const query = sql`SELECT row_digest FROM table_positions FINAL
WHERE ${ofTable(projectId, digest)} ORDER BY position`;
    for await (const rows of this.store.stream<{ row_digest: string }>(query)) {
      yield rows.map(({ row_digest }) => row_digest);
    }
  }

  /** The digests of the rows at these positions. */
  async digestsAt(
    projectId: string,
    digest: string,
    positions: readonly number[],
  ): Promise<ReadonlyMap<number, string>> {
    if (positions.length === 0) return new Map();
    const rows = await this.store.rows<{ position: number; row_digest: string }>(
      sql`SELECT position, row_digest FROM table_positions FINAL
WHERE ${ofTable(projectId, digest)} AND position IN ${bind('Array(UInt32)', positions)}`,
    );
    return new Map(rows.map(({ position, row_digest }) => [position, row_digest]));
  }

  private async counts(projectId: string, digest: string) {
    const table = ofTable(projectId, digest);
    const [counts] = await this.store.rows<CountRow>(sql`SELECT
  (SELECT count() FROM tables WHERE ${table}) AS parts,
  (SELECT max(row_count) FROM tables WHERE ${table}) AS expected,
  (SELECT uniqExact(position) FROM table_positions WHERE ${table}) AS present`);
    const { parts = 0, expected = 0, present = 0 } = counts ?? {};
    return { parts: Number(parts), expected: Number(expected), present: Number(present) };
  }
}

function ofTable(projectId: string, digest: string): Sql {
  return sql`project_id = ${bind('String', projectId)} AND digest = ${bind('String', digest)}`;
}
