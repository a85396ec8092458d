import { Injectable } from '@nestjs/common';
import { raw, sql, type Sql } from '@app/clickhouse';
import type {
  CallPayloadRequest,
  CallsFacetsRequest,
  CallsFacetsResponse,
  CallsFilter,
  CallsHistogramRequest,
  CallsHistogramResponse,
  Facet,
} from '@app/contracts';
import { ProblemError } from '@app/http';
import { ExprError, shown, type Value } from '@app/query-language';
import {
  micros,
  microsOf,
  nowMillis,
  parseTimestamp,
  printTimestamp,
  type Micros,
} from '@app/wire';
import { RetentionReader } from '../projects/retention.reader.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { CallFieldsReader } from './call-fields.reader.js';
import {
  callsPerBucket,
  facetValues,
  firstStart,
  payloadOfCall,
  startedWithin,
} from './calls-overview.sql.js';
import { CallsPlanner } from './calls-planner.js';
import type { CallsQuery } from './calls-query.js';
import { keyList } from './calls.sql.js';
import { PayloadSearch } from './payload-search.js';

const BUCKETS = 60;
const FACET_VALUES = 10;
const FACET_SAMPLE = 100_000;
const FACET_VALUE_LENGTH = 500;
const PAYLOAD_BYTES = 1024 * 1024;

interface Overview {
  readonly project_id: string;
  readonly filter?: CallsFilter | null;
  readonly query?: object | null;
  readonly start?: string | null;
  readonly end?: string | null;
}

interface FacetRow {
  readonly field: number;
  readonly value: string;
  readonly count: number | string;
  readonly values: number | string;
}

export interface PayloadPart {
  readonly bytes: Buffer;
  readonly offset: number;
  /** Of the whole payload. */
  readonly size: number;
  /** Changes when the call changes. */
  readonly etag: string;
}

/** Summarises calls, and reads parts of their payloads. */
@Injectable()
export class CallsOverviewReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly planner: CallsPlanner,
    private readonly search: PayloadSearch,
    private readonly fields: CallFieldsReader,
    private readonly retention: RetentionReader,
  ) {}

  async histogram(
    request: CallsHistogramRequest,
    context: ReadContext,
    now = nowMillis(),
  ): Promise<CallsHistogramResponse> {
    const to = timestampOf(request.end) ?? microsOf(now);
    const query = await this.plan(request, timestampOf(request.start), to, context);
    const from = timestampOf(request.start) ?? (await this.first(query, context)) ?? to;
    if (to < from) throw new ProblemError('invalid_request', 'end is before start.');
    const buckets = to === from ? 0 : (request.buckets ?? BUCKETS);
    // At least a microsecond, and wide enough that the last bucket ends at `to` or later.
    const width = Math.max(1, Math.ceil((to - from) / Math.max(1, buckets)));
    const [calls, errors] = [Array<number>(buckets).fill(0), Array<number>(buckets).fill(0)];
    const rows = buckets === 0 ? [] : await this.buckets(query, from, width, context);
    for (const row of rows) {
      calls[Number(row.bucket)] = Number(row.calls);
      errors[Number(row.bucket)] = Number(row.errors);
    }
    return {
      start: printTimestamp(from),
      end: printTimestamp(to),
      bucket_seconds: width / 1e6,
      calls,
      errors,
      total: sumOf(calls),
      total_errors: sumOf(errors),
    };
  }

  async facets(request: CallsFacetsRequest, context: ReadContext): Promise<CallsFacetsResponse> {
    const { fields, limit } = request;
    const known = await this.fields.fieldsOf(request, context);
    const columns = fields.map((name, i) =>
      name === 'model' ? raw('usage_model') : valuesOf(known.field(name, ['fields', i]), name, i),
    );
    const [from, to] = [timestampOf(request.start), timestampOf(request.end)];
    const query = await this.plan(request, from, to, context);
    const rows = await this.executor.rows<FacetRow>(
      facetValues(query, columns, FACET_SAMPLE, limit ?? FACET_VALUES),
      context,
    );
    const calls = Number(rows.find(({ field }) => field === 0)?.count ?? 0);
    const facets = fields.map((field, i) =>
      facetOf(
        field,
        rows.filter((row) => row.field === i + 1),
        limit ?? FACET_VALUES,
      ),
    );
    return { calls, sampled: calls >= FACET_SAMPLE, facets };
  }

  /** Undefined when there is no such call. */
  async payload(
    { project_id, id, member, offset, length }: CallPayloadRequest,
    context: ReadContext,
  ): Promise<PayloadPart | undefined> {
    const range = { offset: offset ?? 0, length: length ?? PAYLOAD_BYTES };
    const since = await this.retention.cutoff(project_id);
    const [row] = await this.executor.rows<{ version: string; size: number; bytes: string }>(
      payloadOfCall(project_id, id, member, range, since),
      context,
    );
    if (row === undefined) return undefined;
    const size = Number(row.size);
    const etag = `"${row.version}-${member}-${size}"`;
    if (size > 0) {
      return { bytes: Buffer.from(row.bytes, 'base64'), offset: range.offset, size, etag };
    }
    const unset = Buffer.from(member === 'output' ? 'null' : '{}');
    const bytes = unset.subarray(range.offset, range.offset + range.length);
    return { bytes, offset: range.offset, size: unset.length, etag };
  }

  /** The query with the keys of its calls, if payloads must be read to find them. */
  private async plan(
    { project_id, filter, query }: Overview,
    from: Micros | undefined,
    to: Micros | undefined,
    context: ReadContext,
  ): Promise<CallsQuery> {
    const request = { project_id, filter: filter ?? null, query: query ?? null };
    const plan = await this.planner.plan(request, context);
    const found = plan.readsPayloads ? await this.search.find(plan, context) : undefined;
    const keyed = found ? { ...plan, keys: keyList(found), isNarrow: true } : plan;
    return startedWithin(keyed, from, to);
  }

  private buckets(query: CallsQuery, from: Micros, width: number, context: ReadContext) {
    type Row = Readonly<Record<'bucket' | 'calls' | 'errors', number | string>>;
    return this.executor.rows<Row>(callsPerBucket(query, from, width), context);
  }

  private async first(query: CallsQuery, context: ReadContext): Promise<Micros | undefined> {
    const [row] = await this.executor.rows<{ started: number | string }>(
      firstStart(query),
      context,
    );
    return row && micros(Number(row.started));
  }
}

const timestampOf = (text: string | null | undefined): Micros | undefined =>
  text ? parseTimestamp(text) : undefined;

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

/** The values of a field as a list of texts; empty where there is none. */
function valuesOf(value: Value, name: string, i: number): Sql {
  if (value.kind === 'texts') {
    throw new ExprError('value', ['fields', i], `${shown(name)} is a list and has no facets`);
  }
  const text = value.kind === 'json' ? value.text() : sql`toString(${value.sql})`;
  const cut = sql`substringUTF8(ifNull(${text}, ''), 1, ${raw(String(FACET_VALUE_LENGTH))})`;
  const unset = value.kind === 'json' ? undefined : value.unset;
  return unset ? sql`if(${unset}, [], [${cut}])` : sql`[${cut}]`;
}

function facetOf(field: string, rows: readonly FacetRow[], limit: number): Facet {
  const missing = rows.find(({ value }) => value === '');
  const values = rows
    .filter((row) => row !== missing)
    .slice(0, limit)
    .map(({ value, count }) => ({ value, count: Number(count) }));
  const distinct = Number(rows[0]?.values ?? 0) - (missing ? 1 : 0);
  return { field, values, distinct, missing: Number(missing?.count ?? 0) };
}
