import { Injectable } from '@nestjs/common';
import { bind, sql, Store } from '@app/clickhouse';

interface PiecesRow {
  readonly expected: number;
  readonly present: number | string;
}

/** Reads what a write needs to know about files. */
@Injectable()
export class FilesReader {
  constructor(private readonly store: Store) {}

  /** Whether ClickHouse has every piece of the file. */
  async isStored(projectId: string, digest: string): Promise<boolean> {
    const [pieces] = await this.store.rows<PiecesRow>(sql`SELECT
  max(chunk_count) AS expected, uniqExact(chunk) AS present
FROM files WHERE project_id = ${bind('String', projectId)} AND digest = ${bind('String', digest)}`);
    return (
      pieces !== undefined && pieces.expected > 0 && pieces.expected === Number(pieces.present)
    );
  }
}
