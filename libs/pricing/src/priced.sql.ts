import { bind, join, raw, sql, type Bound, type Sql } from '@app/clickhouse';
import type { PriceList, Segment } from './price-list.js';
import type { Price } from './price.js';

export type Part = 'prompt' | 'completion' | 'cacheRead' | 'cacheWrite';

/**
 * Computes costs in SQL, with the same decimals as `costOf`. All prices are array parameters of the statement. A
 * statement first finds the index of a price and then multiplies that price by the tokens.
 */
export class PricedSql {
  private readonly timelines: readonly (readonly [model: string, segments: readonly Segment[]])[];
  private readonly decimals: Readonly<Record<Part, Bound>>;
  private readonly units: Bound;

  constructor(list: PriceList) {
    this.timelines = [...list.timelines].filter(([, segments]) => segments.length > 0);
    const prices = this.timelines.flatMap(([, segments]) => segments.map(({ price }) => price));
    // Index 0 stands for "no price".
    const texts = (figureOf: (price: Price) => string, none: string) =>
      bind('Array(String)', [none, ...prices.map(figureOf)]);
    this.decimals = {
      prompt: texts(({ prompt }) => prompt, '0'),
      completion: texts(({ completion }) => completion, '0'),
      cacheRead: texts(({ cacheRead }) => cacheRead, '0'),
      cacheWrite: texts(({ cacheWrite }) => cacheWrite, '0'),
    };
    this.units = texts(unitOf, '');
  }

  /** Whether no model ever changed its price, so that the start time of a call does not matter. */
  get isConstant(): boolean {
    return this.timelines.every(([, segments]) => segments.length === 1);
  }

  /** The index of the price of a model at a time; 0 when there is none. */
  priceIndex(model: Sql, startedAt: Sql): Sql {
    if (this.timelines.length === 0) return raw('0');
    const models = bind(
      'Array(String)',
      this.timelines.map(([name]) => name),
    );
    let next = 1;
    const firsts = this.timelines.map(
      ([, segments]) => (next += segments.length) - segments.length,
    );
    if (this.isConstant)
      return sql`transform(${model}, ${models}, ${bind('Array(UInt32)', firsts)}, 0)`;
    const timelineNumbers = bind(
      'Array(UInt32)',
      firsts.map((_, i) => i + 1),
    );
    const froms = bind(
      'Array(Array(Int64))',
      this.timelines.map(([, segments]) => segments.map(({ from }) => from)),
    );
    const timeline = sql`transform(${model}, ${models}, ${timelineNumbers}, 0)`;
    const segment = sql`arrayLastIndex(since -> since <= toUnixTimestamp64Micro(${startedAt}), ${froms}[${timeline}])`;
    return sql`if(${timeline} = 0, 0, ${bind('Array(UInt32)', firsts)}[${timeline}] + ${segment} - 1)`;
  }

  /** Tokens times the price at an index: a Decimal with 18 places. */
  cost(part: Part, tokens: Sql, priceIndex: Sql): Sql {
    return sql`(${tokens} * arrayMap(x -> toDecimal128(x, 18), ${this.decimals[part]})[${priceIndex} + 1])`;
  }

  /** The cost of a row of `calls` over all its models, and whether any of them has a price. */
  perCall(): { readonly cost: Sql; readonly isPriced: Sql } {
    const index = this.priceIndex(raw('model'), raw('started_at'));
    const parts = [
      this.cost('prompt', raw('uncached'), index),
      this.cost('completion', raw('completion'), index),
      this.cost('cacheRead', raw('cached'), index),
      this.cost('cacheWrite', raw('written'), index),
    ];
    const cost = sql`arraySum(arrayMap((model, uncached, completion, cached, written) -> ${join(parts, ' + ')}, usage_model, usage_uncached, usage_completion, usage_cache_read, usage_cache_write))`;
    return { cost, isPriced: sql`arrayExists(model -> ${index} > 0, usage_model)` };
  }

  /** The currency of the price at an index; '' when there is none. */
  unit(priceIndex: Sql): Sql {
    return sql`${this.units}[${priceIndex} + 1]`;
  }
}

/** A price in two currencies is labelled with both, so that such amounts are never added to others. */
const unitOf = ({ promptUnit, completionUnit }: Price) =>
  promptUnit === completionUnit ? promptUnit : `${promptUnit}/${completionUnit}`;
