import { Injectable } from '@nestjs/common';
import { bind, sql, Store } from '@app/clickhouse';

interface CountRow {
  readonly parts: number | string;
  readonly expected: number | string;
  readonly present: number | string;
}

/** What a write about tables has to know first. */
@Injectable()
export class TablesReader {
  constructor(private readonly store: Store) {}

  /** Every position of the table is stored, so there is nothing left to write. */
  async isStored(projectId: string, digest: string): Promise<boolean> {
    const table = sql`project_id = ${bind('String', projectId)} AND digest = ${bind('String', digest)}`;
    const [counts] = await this.store.rows<CountRow>(sql`SELECT
  (SELECT count() FROM tables WHERE ${table}) AS parts,
  (SELECT max(row_count) FROM tables WHERE ${table}) AS expected,
  (SELECT uniqExact(position) FROM table_positions WHERE ${table}) AS present`);
    const { parts = 0, expected = 0, present = 0 } = counts ?? {};
    return Number(parts) > 0 && Number(expected) === Number(present);
  }

  /** The digests of the table's rows in order, or undefined when there is no such table. */
  async rowDigests(projectId: string, digest: string): Promise<string[] | undefined> {
    if (!(await this.isStored(projectId, digest))) return undefined;
    const rowDigests: string[] = [];
    const question = sql`SELECT row_digest FROM table_positions FINAL
WHERE project_id = ${bind('String', projectId)} AND digest = ${bind('String', digest)} ORDER BY position`;
    for await (const rows of this.store.stream<{ row_digest: string }>(question)) {
      for (const { row_digest } of rows) rowDigests.push(row_digest);
    }
    return rowDigests;
  }
}
