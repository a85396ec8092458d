import { Injectable } from '@nestjs/common';
import { PricedSql } from '@app/pricing';
import { PricesReader } from '../costs/prices.reader.js';
import { RetentionReader } from '../projects/retention.reader.js';
import type { ReadContext } from '../read-context.js';
import { modelsUsed } from '../usage/usage-rows.sql.js';
import { CallFields, TOTAL_COST } from './call-fields.js';

interface FieldsRequest {
  readonly project_id: string;
  readonly query?: object | null;
  readonly sort_by?: readonly { readonly field: string }[] | null;
}

/** Reads what the fields of a request depend on. Prices are read only for a request that names the cost. */
@Injectable()
export class CallFieldsReader {
  constructor(
    private readonly prices: PricesReader,
    private readonly retention: RetentionReader,
  ) {}

  async fieldsOf(
    { project_id, query, sort_by }: FieldsRequest,
    context: ReadContext,
  ): Promise<CallFields> {
    const namesCost =
      sort_by?.some(({ field }) => field === TOTAL_COST) ||
      JSON.stringify(query ?? null).includes(JSON.stringify(TOTAL_COST));
    const retentionDays = await this.retention.cached(project_id);
    if (!namesCost) return new CallFields(project_id, { retentionDays });
    const used = modelsUsed({ projectId: project_id, prefilter: undefined });
    const list = await this.prices.listOfUsed(project_id, used, context);
    return new CallFields(project_id, { retentionDays, priced: new PricedSql(list) });
  }
}
