import { Injectable } from '@nestjs/common';
import { and, bind, DEFAULT_LEVEL_ID, join, raw, sql, type Sql } from '@app/clickhouse';
import type { CostQueryRequest } from '@app/contracts';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { recordsQuery, type RecordsQuery } from '../records-query.js';
import { COST_FIELD_MAP, COST_FIELDS, costField, DEFAULT_COST_FIELDS } from './cost-fields.js';

type ValuesRow = Readonly<Record<string, string | number>>;

@Injectable()
export class CostsReader {
  constructor(private readonly executor: QueryExecutor) {}

  /** The prices as JSON texts, so that their decimals are printed with all digits. */
  async query(request: CostQueryRequest, context: ReadContext): Promise<string[]> {
    const withDefaults = request.include_defaults === true;
    const names = request.fields ?? (withDefaults ? DEFAULT_COST_FIELDS : COST_FIELDS);
    const fields = names.map((name, i) => costField(name, ['fields', i]));
    const query = recordsQuery(request, COST_FIELD_MAP);
    const values =
      fields.length > 0 ? fields.map(({ selected }) => selected) : [costField('id', []).selected];
    const rows = await this.executor.rows<ValuesRow>(
      queryCosts(request.project_id, query, values, withDefaults),
      context,
    );
    return rows.map((row) => {
      const members = fields.map(
        ({ json }, i) => `${JSON.stringify(names[i])}:${json(row[`v${i}`]!)}`,
      );
      return `{${members.join(',')}}`;
    });
  }
}

/** The prices that are set in the project, and the defaults if requested; column `v<i>` has the i-th value. */
export function queryCosts(
  projectId: string,
  { where, page }: RecordsQuery,
  values: readonly Sql[],
  withDefaults = false,
): Sql {
  const columns = values.map((value, i) => sql`${value} AS ${raw(`v${i}`)}`);
  const ofProject = sql`level = 'project' AND level_id = ${bind('String', projectId)}`;
  return sql`SELECT ${join(columns, ', ')} FROM prices FINAL
WHERE ${and([withDefaults ? sql`((${ofProject}) OR (${DEFAULTS}))` : ofProject, where])}${page}`;
}

const DEFAULTS = sql`level = 'default' AND level_id = ${bind('String', DEFAULT_LEVEL_ID)}`;
