import { Injectable } from '@nestjs/common';
import type { SourceLinkRow } from '@app/clickhouse';
import type {
  DatasetSourcesQueryRequest,
  SourceDatasetsQueryRequest,
  SourceMembership,
} from '@app/contracts';
import { micros, printTimestamp } from '@app/wire';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { datasetsOfSources, linksOfDataset } from './dataset-sources.sql.js';

const ROWS_MAX = 100;

interface MembershipRow {
  readonly kind: string;
  readonly source: string;
  readonly trace: string;
  readonly dataset_id: string;
  readonly rows: string[];
  readonly total: number | string;
  readonly first_seen: number | string;
}

@Injectable()
export class DatasetSourcesReader {
  constructor(private readonly executor: QueryExecutor) {}

  /** The links as JSON texts. */
  async *links(request: DatasetSourcesQueryRequest, context: ReadContext): AsyncGenerator<string> {
    const query = linksOfDataset(request);
    for await (const rows of this.executor.stream<SourceLinkRow>(query, context)) {
      yield* rows.map(linkRecord);
    }
  }

  async datasets(
    request: SourceDatasetsQueryRequest,
    context: ReadContext,
  ): Promise<SourceMembership[]> {
    if (request.sources.length === 0) return [];
    const query = datasetsOfSources(request, ROWS_MAX);
    const rows = await this.executor.rows<MembershipRow>(query, context);
    return rows.map((row) => ({
      source_kind: row.kind,
      source_id: row.source,
      source_trace_id: row.trace,
      dataset_object_id: row.dataset_id,
      row_digests: row.rows,
      row_digests_truncated: Number(row.total) > ROWS_MAX,
      row_digests_total_count: Number(row.total),
      first_seen_at: printed(row.first_seen),
    }));
  }
}

const printed = (at: number | string) => printTimestamp(micros(Number(at)));

/** The metadata is inserted as it was stored. */
function linkRecord(row: SourceLinkRow): string {
  const plain = {
    id: row.id,
    row_digest: row.row,
    source_kind: row.kind,
    source_id: row.source,
    source_trace_id: row.trace,
    source_started_at: printed(row.started),
    source_display_name: row.display_name,
    added_by: row.added_by || null,
    created_at: printed(row.created_at),
    updated_at: printed(row.updated_at),
    deleted_at: row.is_live ? null : printed(row.removed_at),
  };
  return `${JSON.stringify(plain).slice(0, -1)},"link_metadata":${row.metadata || 'null'}}`;
}
