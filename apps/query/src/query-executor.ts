import { Inject, Injectable } from '@nestjs/common';
import { Store, type Sql } from '@app/clickhouse';
import type { QueryConfig } from '@app/config';
import type { QueryExplanation, ReadContext } from './read-context.js';
import { QUERY_CONFIG } from './tokens.js';

type Settings = NonNullable<Parameters<Store['rows']>[1]>;

/** Asks ClickHouse on behalf of a reader: within the bounds, no longer than anybody waits, and explained when asked. */
@Injectable()
export class QueryExecutor {
  private readonly settings: Readonly<Record<'admin' | 'others', Settings>>;

  constructor(
    private readonly store: Store,
    @Inject(QUERY_CONFIG) config: QueryConfig,
  ) {
    this.settings = {
      admin: { ...READ_SETTINGS, ...bounds(config, config.adminFactor) },
      others: { ...READ_SETTINGS, ...bounds(config, 1) },
    };
  }

  async rows<Row>(query: Sql, context: ReadContext): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const block of this.stream<Row>(query, context)) rows.push(...block);
    return rows;
  }

  /** The values of a question's one column, end to end. */
  bytes(query: Sql, context: ReadContext): Promise<Buffer> {
    return this.store.bytes(query, this.settingsOf(context), context.signal);
  }

  /** Blocks of rows, no faster than they are taken. */
  stream<Row>(query: Sql, context: ReadContext): AsyncGenerator<Row[], void> {
    if (context.explanations) return this.explainedStream(query, context, context.explanations);
    return this.store.stream<Row>(query, this.settingsOf(context), context.signal);
  }

  /** The answer in a format of ClickHouse's own, in pieces. */
  printed(
    query: Sql,
    format: Parameters<Store['streamFormatted']>[1],
    settings: Settings,
    context: ReadContext,
  ): AsyncGenerator<Buffer, void> {
    const all = { ...this.settingsOf(context), ...settings };
    return this.store.streamFormatted(query, format, all, context.signal);
  }

  /** What one question may cost depends on who asks. */
  private settingsOf({ principal }: ReadContext): Settings {
    return principal.role === 'admin' ? this.settings.admin : this.settings.others;
  }

  private async *explainedStream<Row>(
    query: Sql,
    context: ReadContext,
    explanations: QueryExplanation[],
  ): AsyncGenerator<Row[], void> {
    const settings = this.settingsOf(context);
    const begun = performance.now();
    const { rowsRead, bytesRead } = yield* this.store.streamWithStats<Row>(
      query,
      settings,
      context.signal,
    );
    const rendered = query.render();
    explanations.push({
      sql: rendered.query,
      params: rendered.query_params,
      rows_read: rowsRead,
      bytes_read: bytesRead,
      elapsed_ms: Math.round((performance.now() - begun) * 1000) / 1000,
      indexes: await this.store.explain(query, settings),
    });
  }
}

/**
 * A row's partition follows from its key, so FINAL need not look across partitions. What a condition costs varies a
 * thousandfold between a leaf and a token, so nothing is computed that an earlier condition has decided. A constant in
 * ORDER BY is a value like any other, not the number of a column.
 */
export const READ_SETTINGS: Settings = {
  do_not_merge_across_partitions_select_final: 1,
  use_skip_indexes_if_final: 1,
  use_skip_indexes_if_final_exact_mode: 1,
  short_circuit_function_evaluation: 'force_enable',
  optimize_read_in_order: 1,
  enable_positional_arguments: 0,
  // With the usual megabyte a search in payloads works on a row or two at a time, and its steps cost more than the rows.
  preferred_block_size_bytes: '16000000',
  // As the embedded engine has it: a question with many conditions is longer than a server takes unasked.
  max_query_size: String(256 * 1024 ** 2),
  // It looks for chains such as a < b AND b < c, of which we write none, in every condition: a fifth of planning one on payloads.
  optimize_and_compare_chain: 0,
  // A text index shows where to look; taken for the answer it fails under FINAL (26.7).
  query_plan_direct_read_from_text_index: 0,
};

function bounds({ maxSeconds, maxMemoryBytes, maxRows }: QueryConfig, times: number): Settings {
  return {
    max_execution_time: times * maxSeconds,
    max_memory_usage: String(times * maxMemoryBytes),
    ...(maxRows > 0 ? { max_rows_to_read: String(times * maxRows) } : {}),
  };
}
