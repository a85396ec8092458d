import { Injectable } from '@nestjs/common';
import { PricedSql } from '@app/pricing';
import { PricesReader } from '../costs/prices.reader.js';
import { RetentionReader } from '../projects/retention.reader.js';
import type { ReadContext } from '../read-context.js';
import { modelsUsed } from '../usage/usage-rows.sql.js';
import { CallFields, TOTAL_COST } from './call-fields.js';

interface Asking {
  readonly project_id: string;
  readonly query?: object | null;
  readonly sort_by?: readonly { readonly field: string }[] | null;
}

/** The fields of a request. Only one that asks what calls cost has to know the prices. */
@Injectable()
export class CallFieldsReader {
  constructor(
    private readonly prices: PricesReader,
    private readonly retention: RetentionReader,
  ) {}

  async fieldsOf(
    { project_id, query, sort_by }: Asking,
    context: ReadContext,
  ): Promise<CallFields> {
    const asksCost =
      sort_by?.some(({ field }) => field === TOTAL_COST) ||
      JSON.stringify(query ?? null).includes(JSON.stringify(TOTAL_COST));
    const retentionDays = await this.retention.recall(project_id);
    if (!asksCost) return new CallFields(project_id, { retentionDays });
    const used = modelsUsed({ projectId: project_id, prefilter: undefined });
    const list = await this.prices.listOfUsed(project_id, used, context);
    return new CallFields(project_id, { retentionDays, priced: new PricedSql(list) });
  }
}
