import { Inject, Injectable } from '@nestjs/common';
import { Store } from '@app/clickhouse';
import type { QueryConfig } from '@app/config';
import type {
  CallReadRequest,
  CallsQueryStatsRequest,
  CallsQueryStatsResponse,
} from '@app/contracts';
import { QUERY_CONFIG } from '../tokens.js';
import { callRecord, type Extras } from './call-record.js';
import { countCalls, readCall, traceSize, type CallRecordRow } from './calls.sql.js';

interface CountRow {
  readonly count: number | string;
  readonly bytes: number | string;
}

@Injectable()
export class CallsReader {
  constructor(
    private readonly store: Store,
    @Inject(QUERY_CONFIG) private readonly config: QueryConfig,
  ) {}

  /** The call as JSON text, or undefined. */
  async read(request: CallReadRequest): Promise<string | undefined> {
    const [row] = await this.ask<CallRecordRow>(readCall(request.project_id, request.id));
    return row && callRecord(row, await this.extras(request, row));
  }

  async stats(request: CallsQueryStatsRequest): Promise<CallsQueryStatsResponse> {
    const limit = request.limit ?? undefined;
    const [row] = await this.ask<CountRow>(
      countCalls(request.project_id, request.filter ?? {}, limit),
    );
    const count = Number(row?.count ?? 0);
    return {
      count,
      has_more: limit !== undefined && count >= limit,
      total_storage_size_bytes: request.include_total_storage_size ? Number(row?.bytes ?? 0) : null,
    };
  }

  private async extras(request: CallReadRequest, row: CallRecordRow): Promise<Extras> {
    const total = request.include_total_storage_size && row.parent_id === '';
    const [trace] = total ? await this.ask<CountRow>(traceSize(row.project_id, row.trace_id)) : [];
    return {
      ...(request.include_storage_size ? { storageSize: Number(row.size_bytes) } : {}),
      ...(trace ? { totalStorageSize: Number(trace.bytes) } : {}),
    };
  }

  private ask<Row>(question: Parameters<Store['rows']>[0]): Promise<Row[]> {
    return this.store.rows<Row>(question, { max_execution_time: this.config.maxSeconds });
  }
}
