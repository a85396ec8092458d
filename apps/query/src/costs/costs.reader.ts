import { Injectable } from '@nestjs/common';
import type { RecordsQueryRequest } from '@app/contracts';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { recordsQuery } from '../records-query.js';
import { COST_FIELD_MAP, COST_FIELDS, costField } from './cost-fields.js';
import { queryCosts } from './costs.sql.js';

type ValuesRow = Readonly<Record<string, string | number>>;

@Injectable()
export class CostsReader {
  constructor(private readonly executor: QueryExecutor) {}

  /** The prices as JSON texts, so that their decimals are printed with all digits. */
  async query(request: RecordsQueryRequest, context: ReadContext): Promise<string[]> {
    const names = request.fields ?? COST_FIELDS;
    const fields = names.map((name, i) => costField(name, ['fields', i]));
    const query = recordsQuery(request, COST_FIELD_MAP);
    const values = fields.length > 0 ? fields.map(({ read }) => read) : [costField('id', []).read];
    const rows = await this.executor.rows<ValuesRow>(
      queryCosts(request.project_id, query, values),
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
