import { Injectable } from '@nestjs/common';
import { bind, sql, Store } from '@app/clickhouse';
import type { PriceKey } from '@app/events';
import { micros } from '@app/wire';

interface KeyRow {
  readonly id: string;
  readonly llm_id: string;
  readonly effective: number | string;
}

/** Reads the sort keys of the prices that a purge names by id. */
@Injectable()
export class PricesReader {
  constructor(private readonly store: Store) {}

  async keysOf(projectId: string, ids: readonly string[]): Promise<PriceKey[]> {
    const rows = await this.store
      .rows<KeyRow>(sql`SELECT id, llm_id, toUnixTimestamp64Micro(effective_date) AS effective
FROM prices FINAL WHERE level = 'project' AND level_id = ${bind('String', projectId)}
  AND id IN ${bind('Array(String)', ids)}`);
    return rows.map(({ id, llm_id, effective }) => ({
      id,
      llmId: llm_id,
      effectiveDate: micros(Number(effective)),
    }));
  }
}
