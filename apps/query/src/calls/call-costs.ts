import { Injectable } from '@nestjs/common';
import { costOf, decimalOf, totalOf, type ModelUsage, type Price } from '@app/pricing';
import { micros, millisOf, type Micros } from '@app/wire';
import { PricesReader } from '../costs/prices.reader.js';
import { usageOf } from '../costs/usage-columns.js';
import type { ReadContext } from '../read-context.js';
import type { CallRecordRow } from './calls.sql.js';

/** Costs of calls, at the prices in force when they started. */
@Injectable()
export class CallCosts {
  constructor(private readonly prices: PricesReader) {}

  /** The cost of each call that has any over all its models, in US dollars by call id. */
  async totals(
    projectId: string,
    rows: readonly CallRecordRow[],
    context: ReadContext,
  ): Promise<ReadonlyMap<string, number>> {
    const list = await this.prices.listFor(projectId, modelsOf(rows), context);
    const totals = rows.flatMap((row): [string, number][] => {
      const costs = usageOf(row).flatMap((usage) => {
        const price = list.at(usage.model, micros(Number(row.started)));
        return price ? [totalOf(costOf(usage, price))] : [];
      });
      const total = costs.reduce((sum, cost) => sum + cost, 0n);
      return costs.length === 0 ? [] : [[row.id, Number(decimalOf(total))]];
    });
    return new Map(totals);
  }

  /** `summary.weave.costs` of each call that has any, as JSON text by call id. */
  async ofCalls(
    projectId: string,
    rows: readonly CallRecordRow[],
    context: ReadContext,
  ): Promise<ReadonlyMap<string, string>> {
    const list = await this.prices.listFor(projectId, modelsOf(rows), context);
    const costs = rows.map((row): [string, string[]] => [
      row.id,
      usageOf(row).flatMap((usage) => {
        const price = list.at(usage.model, micros(Number(row.started)));
        return price ? [`${JSON.stringify(usage.model)}:${modelCost(usage, price)}`] : [];
      }),
    ]);
    const priced = costs.filter(([, members]) => members.length > 0);
    return new Map(priced.map(([id, members]) => [id, `{${members.join(',')}}`]));
  }
}

const modelsOf = (rows: readonly CallRecordRow[]) =>
  rows.flatMap(({ usage_model = [] }) => usage_model.map(String));

/** Decimals are printed from text, because a double would lose digits. */
function modelCost(usage: ModelUsage, price: Price): string {
  const cost = costOf(usage, price);
  const counts = {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    requests: usage.requests,
    total_tokens: usage.total,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
  };
  const money = {
    prompt_token_cost: price.prompt,
    completion_token_cost: price.completion,
    cache_read_input_token_cost: price.cacheRead,
    cache_creation_input_token_cost: price.cacheWrite,
    prompt_tokens_total_cost: decimalOf(cost.prompt),
    completion_tokens_total_cost: decimalOf(cost.completion),
    cache_read_input_tokens_total_cost: decimalOf(cost.cacheRead),
    cache_creation_input_tokens_total_cost: decimalOf(cost.cacheWrite),
  };
  const origin = {
    prompt_token_cost_unit: price.promptUnit,
    completion_token_cost_unit: price.completionUnit,
    effective_date: printSeconds(price.effectiveDate),
    provider_id: price.providerId,
    pricing_level: price.level,
    pricing_level_id: price.levelId,
    created_at: printSeconds(price.createdAt),
    created_by: price.createdBy,
  };
  const members = Object.entries(money).map(([name, decimal]) => `"${name}":${decimal}`);
  return `{${[membersOf(counts), ...members, membersOf(origin)].join(',')}}`;
}

const membersOf = (object: object) => JSON.stringify(object).slice(1, -1);

/** The wire's format for the timestamps of a price: `2026-01-01 00:00:00`. */
const printSeconds = (timestamp: Micros) =>
  new Date(millisOf(timestamp)).toISOString().slice(0, 19).replace('T', ' ');
