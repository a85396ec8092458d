import { Injectable } from '@nestjs/common';
import type { CallPreview, CallsPreviewRequest, PayloadHit } from '@app/contracts';
import { micros, printTimestamp } from '@app/wire';
import { usageOf } from '../costs/usage-columns.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { CallCosts } from './call-costs.js';
import { CallFieldsReader } from './call-fields.reader.js';
import { CallsPlanner } from './calls-planner.js';
import { CallsReader } from './calls.reader.js';
import {
  escapedText,
  feedbackCounts,
  previewColumns,
  type CallPreviewRow,
  type Preview,
} from './calls-preview.sql.js';

const LIMIT = 100;
const CHARACTERS = 300;

/** Reads what a list shows of calls: their payloads are cut before they leave ClickHouse. */
@Injectable()
export class CallsPreviewReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly planner: CallsPlanner,
    private readonly fields: CallFieldsReader,
    private readonly calls: CallsReader,
    private readonly costs: CallCosts,
  ) {}

  async *query(
    request: CallsPreviewRequest,
    context: ReadContext,
  ): AsyncGenerator<readonly CallPreview[], void> {
    const preview: Preview = {
      characters: request.characters ?? CHARACTERS,
      columns: request.columns ?? [],
      highlight: request.highlight ?? '',
    };
    const sort_by = preview.columns.map((field) => ({ field }));
    const fields = await this.fields.fieldsOf({ ...request, sort_by }, context);
    const columns = previewColumns(preview, fields);
    const plan = await this.planner.plan(
      { ...request, columns: null, limit: request.limit ?? LIMIT },
      context,
    );
    for await (const rows of this.calls.rows(plan, columns, context)) {
      yield await this.previews(request.project_id, rows as CallPreviewRow[], preview, context);
    }
  }

  private async previews(
    projectId: string,
    rows: readonly CallPreviewRow[],
    { columns, highlight }: Preview,
    context: ReadContext,
  ): Promise<readonly CallPreview[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const counts = await this.executor.rows<{ call_id: string; records: number | string }>(
      feedbackCounts(projectId, ids),
      context,
    );
    const feedback = new Map(counts.map(({ call_id, records }) => [call_id, Number(records)]));
    const costs = await this.costs.totals(projectId, rows, context);
    return rows.map((row) => ({
      ...previewOf(row),
      hits: hitsOf(row, highlight),
      cost: costs.get(row.id) ?? null,
      feedback: feedback.get(row.id) ?? 0,
      values: columns.map((_, i) => row[`value${i}`] ?? null),
    }));
  }
}

type Plain = Omit<CallPreview, 'cost' | 'feedback' | 'values' | 'hits'>;

function previewOf(row: CallPreviewRow): Plain {
  const [started, ended] = [Number(row.started), Number(row.ended)];
  return {
    id: row.id,
    trace_id: row.trace_id,
    parent_id: row.parent_id || null,
    op_name: row.op_name,
    display_name: row.display_name || null,
    started_at: printTimestamp(micros(started)),
    ended_at: ended === 0 ? null : printTimestamp(micros(ended)),
    status: row.status ?? 'success',
    latency_ms: ended === 0 ? null : Math.floor((ended - started) / 1000),
    wb_user_id: row.user_id || null,
    thread_id: row.thread_id || null,
    exception: row.exception_text || null,
    inputs: { text: row.inputs_text || '{}', bytes: Number(row.inputs_bytes) },
    output: { text: row.output_text || 'null', bytes: Number(row.output_bytes) },
    tokens: usageOf(row).reduce((sum, { total }) => sum + total, 0),
  };
}

function hitsOf(row: CallPreviewRow, highlight: string): PayloadHit[] {
  const { length } = [...escapedText(highlight)];
  return (['inputs', 'output'] as const).flatMap((member) => {
    const position = Number(row[`${member}_hit`] ?? 0);
    const snippet = row[`${member}_snippet`] ?? '';
    return position === 0 ? [] : [{ member, offset: position - 1, length, snippet }];
  });
}
