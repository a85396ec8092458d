import { Inject, Injectable } from '@nestjs/common';
import { Store, type Sql } from '@app/clickhouse';
import type { QueryConfig } from '@app/config';
import type { TableQueryRequest, TablesStatsRequest, TableStats } from '@app/contracts';
import { directionOf, windowOf } from '../objects/objects-request.js';
import { QUERY_CONFIG } from '../tokens.js';
import { pathKeys } from './row-path.js';
import {
  queryPositions,
  rowValues,
  tableCounts,
  tableSizes,
  type PositionRow,
  type RowsQuestion,
} from './tables.sql.js';

/** Rows whose values are held at a time. */
const ROWS_AT_A_TIME = 1000;

@Injectable()
export class TablesReader {
  constructor(
    private readonly store: Store,
    @Inject(QUERY_CONFIG) private readonly config: QueryConfig,
  ) {}

  /** The rows as JSON texts, as they come; a table of any size needs the same memory. */
  rows(request: TableQueryRequest): AsyncGenerator<string> {
    return this.records(rowsQuestion(request));
  }

  async stats(request: TablesStatsRequest): Promise<TableStats[]> {
    const { project_id, digests, include_storage_size } = request;
    const [counts, sizes] = await Promise.all([
      this.ask<{ digest: string; count: number | string }>(tableCounts(project_id, digests)),
      include_storage_size
        ? this.ask<{ digest: string; bytes: number | string }>(tableSizes(project_id, digests))
        : [],
    ]);
    const bytes = new Map(sizes.map((one) => [one.digest, Number(one.bytes)]));
    return counts.map(({ digest, count }) => ({
      digest,
      count: Number(count),
      storage_size_bytes: include_storage_size ? (bytes.get(digest) ?? 0) : null,
    }));
  }

  private async *records(question: RowsQuestion): AsyncGenerator<string> {
    for await (const positions of this.positions(question)) {
      const values = await this.values(question.projectId, positions);
      for (const { position, row_digest } of positions) {
        const digest = JSON.stringify(row_digest);
        const val = values.get(row_digest) ?? 'null';
        yield `{"digest":${digest},"val":${val},"original_index":${position}}`;
      }
    }
  }

  private async *positions(question: RowsQuestion): AsyncGenerator<PositionRow[]> {
    let held: PositionRow[] = [];
    const answers = this.store.stream<PositionRow>(queryPositions(question), this.settings());
    for await (const some of answers) {
      held.push(...some);
      for (; held.length >= ROWS_AT_A_TIME; held = held.slice(ROWS_AT_A_TIME)) {
        yield held.slice(0, ROWS_AT_A_TIME);
      }
    }
    if (held.length > 0) yield held;
  }

  private async values(
    projectId: string,
    positions: readonly PositionRow[],
  ): Promise<Map<string, string>> {
    const digests = [...new Set(positions.map(({ row_digest }) => row_digest))];
    const rows = await this.ask<{ digest: string; val: string }>(rowValues(projectId, digests));
    return new Map(rows.map(({ digest, val }) => [digest, val]));
  }

  private ask<Row>(question: Sql): Promise<Row[]> {
    return this.store.rows<Row>(question, this.settings());
  }

  private settings() {
    return { max_execution_time: this.config.maxSeconds };
  }
}

function rowsQuestion(request: TableQueryRequest): RowsQuestion {
  return {
    projectId: request.project_id,
    digest: request.digest,
    rowDigests: request.filter?.row_digests ?? undefined,
    sort: (request.sort_by ?? []).map((key, i) => ({
      keys: pathKeys(key.field),
      direction: directionOf(key, i),
    })),
    ...windowOf(request),
  };
}
