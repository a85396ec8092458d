import { Injectable } from '@nestjs/common';
import { join, raw, sql, type Sql } from '@app/clickhouse';
import type {
  AgentSpansQueryRequest,
  SpanAttributesRequest,
  SpanAttributesResponse,
} from '@app/contracts';
import { PricedSql, PriceList } from '@app/pricing';
import { ExprError } from '@app/query-language';
import { PricesReader } from '../costs/prices.reader.js';
import { limitClause, pageOf } from '../paging.js';
import { RetentionReader } from '../projects/retention.reader.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { DistributionsReader } from './distributions.reader.js';
import { groupFilterConditions } from './group-filters.js';
import { groupRecord, type GroupRow } from './group-record.js';
import { costColumns, groupColumns, groupText, measureColumns } from './span-measures.js';
import { spanRecord } from './span-record.js';
import {
  customAttributes,
  SPAN_NAMES,
  SPAN_TOTALS,
  spanCount,
  spanOrder,
  spansFrom,
  spansQuery,
  type SpanRow,
  type SpansRequest,
} from './spans.sql.js';

export const SPANS_LIMIT = 100;

/** Reads spans of agents, one by one or in groups. */
@Injectable()
export class SpansReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly prices: PricesReader,
    private readonly retention: RetentionReader,
    private readonly distributions: DistributionsReader,
  ) {}

  /** The response as JSON text, so that decimals keep all digits. */
  async query(request: AgentSpansQueryRequest, context: ReadContext): Promise<string> {
    const since = await this.retention.cutoff(request.project_id);
    const measured = spansFrom(request, since);
    const { group_by, group_filters, group_distributions } = request;
    const conditions = groupFilterConditions(group_filters, group_by, measured);
    const from = conditions.length > 0 ? spansFrom(request, since, conditions) : measured;
    if (group_by && group_by.length > 0) return this.groups(request, from, context);
    if (group_distributions && group_distributions.length > 0)
      throw new ExprError('value', ['group_distributions'], 'distributions need group_by');
    return this.spans(request, from, context);
  }

  private async spans(
    request: AgentSpansQueryRequest,
    from: Sql,
    context: ReadContext,
  ): Promise<string> {
    const { sort_by, include_details, include_costs } = request;
    const page = pageOf({ limit: request.limit ?? SPANS_LIMIT, offset: request.offset });
    const query = spansQuery(from, include_details === true, spanOrder(sort_by), page);
    const rows = await this.executor.rows<SpanRow>(query, context);
    const prices = include_costs ? await this.pricesOf(request, rows, context) : undefined;
    const spans = rows.map((row) => spanRecord(row, prices));
    const total = await this.count(spanCount(from), context);
    return `{"spans":[${spans.join(',')}],"groups":[],"total_count":${total}}`;
  }

  private async groups(
    request: AgentSpansQueryRequest,
    from: Sql,
    context: ReadContext,
  ): Promise<string> {
    const keys = groupColumns(request.group_by);
    const measures = measureColumns(request.measures);
    const costs = request.include_costs
      ? [costColumns(await this.priced(request, from, context))]
      : [];
    const columns = join(
      [
        ...keys.map(({ value }, i) => sql`${value} AS ${raw(`k${i}`)}`),
        SPAN_TOTALS,
        SPAN_NAMES,
        ...measures.map(({ value }, i) => sql`${value} AS ${raw(`m${i}`)}`),
        ...costs,
        sql`${groupText(keys)} AS group_text`,
        ...(isByConversation(request) ? [FIRST_AND_LAST] : []),
      ],
      ', ',
    );
    const by = raw(keys.map((_, i) => `k${i}`).join(', '));
    const page = pageOf({ limit: request.limit ?? SPANS_LIMIT, offset: request.offset });
    const order = groupOrder(
      request,
      [...keys, ...measures].map(({ name }) => name),
      keys.length,
    );
    const rows = await this.executor.rows<GroupRow>(
      sql`SELECT ${columns} ${from} GROUP BY ${by}, group_text ORDER BY ${order}${limitClause(page)}`,
      context,
    );
    const keyValues = join(
      keys.map(({ value }) => value),
      ', ',
    );
    const total = await this.count(
      sql`SELECT uniqExact(tuple(${keyValues})) AS count ${from}`,
      context,
    );
    const sizes = new Map(
      rows.map((row) => [String(row['group_text']), Number(row['span_count'])]),
    );
    const wanted = request.group_distributions ?? [];
    const found = await this.distributions.of(wanted, groupText(keys), sizes, from, context);
    const groups = rows.map((row) =>
      groupRecord(row, keys, measures, found.get(String(row['group_text']))),
    );
    return `{"spans":[],"groups":[${groups.join(',')}],"total_count":${total}}`;
  }

  async attributes(
    request: SpanAttributesRequest,
    context: ReadContext,
  ): Promise<SpanAttributesResponse> {
    const from = spansFrom(request, await this.retention.cutoff(request.project_id));
    const { limit = SPANS_LIMIT, offset } = pageOf({
      limit: request.limit ?? SPANS_LIMIT,
      offset: request.offset,
    });
    const rows = await this.executor.rows<{ key: string; type: string; spans: number | string }>(
      customAttributes(from, { limit: limit + 1, offset }),
      context,
    );
    const attributes = rows.slice(0, limit).map(({ key, type, spans }) => ({
      key,
      source: `custom_attrs_${type}`,
      value_type: type,
      span_count: Number(spans),
    }));
    return { attributes, has_more: rows.length > limit, limit, offset };
  }

  async priced(request: SpansRequest, from: Sql, context: ReadContext): Promise<PricedSql> {
    const models = sql`SELECT DISTINCT model ${from}`;
    return new PricedSql(await this.prices.listOfUsed(request.project_id, models, context));
  }

  async pricesOf(
    { project_id }: SpansRequest,
    rows: readonly SpanRow[],
    context: ReadContext,
  ): Promise<PriceList> {
    const models = rows.map(({ model }) => String(model)).filter((model) => model !== '');
    return this.prices.listFor(project_id, models, context);
  }

  private async count(query: Sql, context: ReadContext): Promise<number> {
    const [row] = await this.executor.rows<{ count: number | string }>(query, context);
    return Number(row?.count ?? 0);
  }
}

/** The messages of the first and of the last span of a group that has some. */
const FIRST_AND_LAST = raw(
  [
    `argMinIf(messages, (agent_spans.started_at, span_id), length(messages) > 2) AS first_messages`,
    `argMaxIf(messages, (agent_spans.started_at, span_id), length(messages) > 2) AS last_messages`,
  ].join(', '),
);

const isByConversation = ({ group_by }: AgentSpansQueryRequest): boolean =>
  (group_by ?? []).some(({ key }) => /^(gen_ai\.)?conversation[._]id$/.test(key));

const TOTALS = [
  ...['span_count', 'error_count', 'invocation_count', 'conversation_count', 'first_seen'],
  ...['last_seen', 'total_duration_ms', 'total_input_tokens', 'total_output_tokens'],
];

/** By a total, a key or a measure; the last seen first when nothing else is requested. */
function groupOrder(
  { sort_by }: AgentSpansQueryRequest,
  names: readonly string[],
  keys: number,
): Sql {
  const wanted = (sort_by ?? []).flatMap(({ field, direction, order }) => {
    const i = names.indexOf(field);
    const column =
      i === -1 ? TOTALS.find((name) => name === field) : i < keys ? `k${i}` : `m${i - keys}`;
    const way = (direction ?? order) === 'asc' ? 'ASC' : 'DESC';
    return column === undefined ? [] : [`${column} ${way} NULLS LAST`];
  });
  const last = Array.from({ length: keys }, (_, i) => `k${i}`);
  return raw([...(wanted.length > 0 ? wanted : ['last_seen DESC']), ...last].join(', '));
}
