import { bind, join, raw, sql, type Bound, type Sql } from '@app/clickhouse';
import type { PriceList, Segment } from './price-list.js';
import type { Price } from './price.js';

export type Part = 'prompt' | 'completion' | 'cacheRead' | 'cacheWrite';

/**
 * What usage costs, in SQL: the same decimals that `costOf` gives. The prices stand in the statement as parameters, one
 * after the other; a usage is given the number of its price first, and money is that price times tokens.
 */
export class PricedSql {
  private readonly timelines: readonly (readonly [model: string, segments: readonly Segment[]])[];
  private readonly decimals: Readonly<Record<Part, Bound>>;
  private readonly units: Bound;

  constructor(list: PriceList) {
    this.timelines = [...list.timelines].filter(([, segments]) => segments.length > 0);
    const prices = this.timelines.flatMap(([, segments]) => segments.map(({ price }) => price));
    // The first is what has no price.
    const texts = (of: (price: Price) => string, none: string) =>
      bind('Array(String)', [none, ...prices.map(of)]);
    this.decimals = {
      prompt: texts(({ prompt }) => prompt, '0'),
      completion: texts(({ completion }) => completion, '0'),
      cacheRead: texts(({ cacheRead }) => cacheRead, '0'),
      cacheWrite: texts(({ cacheWrite }) => cacheWrite, '0'),
    };
    this.units = texts(unitOf, '');
  }

  /** Whether no model has ever changed its price: then the moment does not matter. */
  get isSteady(): boolean {
    return this.timelines.every(([, segments]) => segments.length === 1);
  }

  /** The number of the price that holds for a model at a moment; 0 when there is none. */
  number(model: Sql, startedAt: Sql): Sql {
    if (this.timelines.length === 0) return raw('0');
    const models = bind(
      'Array(String)',
      this.timelines.map(([name]) => name),
    );
    let next = 1;
    const firsts = this.timelines.map(
      ([, segments]) => (next += segments.length) - segments.length,
    );
    if (this.isSteady)
      return sql`transform(${model}, ${models}, ${bind('Array(UInt32)', firsts)}, 0)`;
    const places = bind(
      'Array(UInt32)',
      firsts.map((_, i) => i + 1),
    );
    const froms = bind(
      'Array(Array(Int64))',
      this.timelines.map(([, segments]) => segments.map(({ from }) => from)),
    );
    const place = sql`transform(${model}, ${models}, ${places}, 0)`;
    const segment = sql`arrayLastIndex(since -> since <= toUnixTimestamp64Micro(${startedAt}), ${froms}[${place}])`;
    return sql`if(${place} = 0, 0, ${bind('Array(UInt32)', firsts)}[${place}] + ${segment} - 1)`;
  }

  /** Tokens times the price of that number: a Decimal of 18 places. */
  cost(part: Part, tokens: Sql, number: Sql): Sql {
    return sql`(${tokens} * arrayMap(x -> toDecimal128(x, 18), ${this.decimals[part]})[${number} + 1])`;
  }

  /** What a row of calls costs over all its models, and whether any of them has a price. */
  perCall(): { readonly cost: Sql; readonly isPriced: Sql } {
    const number = this.number(raw('model'), raw('started_at'));
    const parts = [
      this.cost('prompt', raw('uncached'), number),
      this.cost('completion', raw('completion'), number),
      this.cost('cacheRead', raw('cached'), number),
      this.cost('cacheWrite', raw('written'), number),
    ];
    const cost = sql`arraySum(arrayMap((model, uncached, completion, cached, written) -> ${join(parts, ' + ')}, usage_model, usage_uncached, usage_completion, usage_cache_read, usage_cache_write))`;
    return { cost, isPriced: sql`arrayExists(model -> ${number} > 0, usage_model)` };
  }

  /** The currency of that price; '' when there is none. */
  unit(number: Sql): Sql {
    return sql`${this.units}[${number} + 1]`;
  }
}

/** Two currencies in one price are told as such; nothing may be added up across them. */
const unitOf = ({ promptUnit, completionUnit }: Price) =>
  promptUnit === completionUnit ? promptUnit : `${promptUnit}/${completionUnit}`;
