import { Injectable } from '@nestjs/common';
import { bind, join, raw, sql, type Sql } from '@app/clickhouse';
import type { AgentsQueryRequest, AgentVersionsRequest, SortField } from '@app/contracts';
import { ExprError, shown } from '@app/query-language';
import { limitClause, pageOf } from '../paging.js';
import { RetentionReader } from '../projects/retention.reader.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { totalsText, type GroupRow } from './group-record.js';
import { costColumns } from './span-measures.js';
import { SPAN_TOTALS, spansFrom } from './spans.sql.js';
import { SPANS_LIMIT, SpansReader } from './spans.reader.js';

const TOTALS = [
  ...['error_count', 'invocation_count', 'span_count', 'total_duration_ms'],
  ...['total_input_tokens', 'total_output_tokens'],
];

type Request = Omit<AgentsQueryRequest, 'filters'>;

/** Lists agents and their versions, with totals over their spans. */
@Injectable()
export class AgentsReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly retention: RetentionReader,
    private readonly spans: SpansReader,
  ) {}

  /** The response as JSON text, so that decimals keep all digits. */
  agents(request: AgentsQueryRequest, context: ReadContext): Promise<string> {
    const name = request.filters?.agent_name;
    const conditions = [raw(`agent_name != ''`), ...(name ? [isAgent(name)] : [])];
    return this.totals('agents', ['agent_name'], request, conditions, context);
  }

  versions(request: AgentVersionsRequest, context: ReadContext): Promise<string> {
    const conditions = [isAgent(request.agent_name)];
    return this.totals('versions', ['agent_name', 'agent_version'], request, conditions, context);
  }

  private async totals(
    name: 'agents' | 'versions',
    keys: readonly string[],
    request: Request,
    conditions: readonly Sql[],
    context: ReadContext,
  ): Promise<string> {
    const { project_id } = request;
    const from = spansFrom({ project_id }, await this.retention.cutoff(project_id), conditions);
    const costs = request.include_costs
      ? [costColumns(await this.spans.priced({ project_id }, from, context))]
      : [];
    const page = pageOf({ limit: request.limit ?? SPANS_LIMIT, offset: request.offset });
    const by = raw(keys.join(', '));
    const rows = await this.executor.rows<GroupRow>(
      sql`SELECT ${join([by, SPAN_TOTALS, ...costs], ', ')} ${from}
GROUP BY ${by} ORDER BY ${orderOf(request.sort_by, keys)}${limitClause(page)}`,
      context,
    );
    const [count] = await this.executor.rows<{ count: number | string }>(
      sql`SELECT uniqExact(tuple(${by})) AS count ${from}`,
      context,
    );
    const records = rows.map((row) => {
      const head = { project_id, ...Object.fromEntries(keys.map((key) => [key, row[key]])) };
      return `${JSON.stringify(head).slice(0, -1)},${totalsText(row, TOTALS)}}`;
    });
    return `{"${name}":[${records.join(',')}],"total_count":${Number(count?.count ?? 0)}}`;
  }
}

const isAgent = (name: string): Sql => sql`agent_name = ${bind('String', name)}`;

function orderOf(sortBy: readonly SortField[] | null | undefined, keys: readonly string[]): Sql {
  const known = [...keys, ...TOTALS, 'first_seen', 'last_seen'];
  const wanted = (sortBy ?? []).map(({ field, direction, order }, i) => {
    const column = known.find((name) => name === field);
    if (column === undefined)
      throw new ExprError('value', ['sort_by', i], `${shown(field)} is nothing to sort by`);
    return `${column} ${(direction ?? order) === 'asc' ? 'ASC' : 'DESC'}`;
  });
  return raw([...(wanted.length > 0 ? wanted : ['last_seen DESC']), ...keys].join(', '));
}
