import { decimalOf, unitsOf } from './decimal.js';
import type { WhatIfRow } from './what-if.sql.js';

/** Costs in one currency; decimal text. */
interface WhatIfCost {
  readonly unit: string;
  readonly cost_now: string;
  readonly would_cost: string;
  readonly difference: string;
}

export interface WhatIfModel {
  readonly model: string;
  readonly calls: number;
  /** Tokens without a price now, and with the other prices. */
  readonly unpriced_tokens_now: number;
  readonly unpriced_tokens_then: number;
  readonly costs: readonly WhatIfCost[];
}

export interface WhatIf {
  readonly models: readonly WhatIfModel[];
  readonly totals: readonly WhatIfCost[];
}

/** What would change: per model and in total, never adding different currencies. */
export function whatIfOf(rows: readonly WhatIfRow[], models: readonly string[]): WhatIf {
  const ofModel = (model: string) => rows.filter((row) => row.model === model);
  return {
    models: models.map((model) => modelOf(model, ofModel(model))),
    totals: costsOf(rows),
  };
}

function modelOf(model: string, rows: readonly WhatIfRow[]): WhatIfModel {
  const sum = (some: readonly WhatIfRow[], figure: 'calls' | 'tokens') =>
    some.reduce((total, row) => total + Number(row[figure]), 0);
  return {
    model,
    calls: sum(rows, 'calls'),
    unpriced_tokens_now: sum(
      rows.filter((row) => row.unit_now === ''),
      'tokens',
    ),
    unpriced_tokens_then: sum(
      rows.filter((row) => row.unit_then === ''),
      'tokens',
    ),
    costs: costsOf(rows),
  };
}

function costsOf(rows: readonly WhatIfRow[]): WhatIfCost[] {
  const sums = new Map<string, { now: bigint; then: bigint }>();
  const add = (unit: string, part: 'now' | 'then', cost: string) => {
    if (unit === '') return;
    const sum = sums.get(unit) ?? { now: 0n, then: 0n };
    sum[part] += unitsOf(cost);
    sums.set(unit, sum);
  };
  for (const { unit_now, unit_then, cost_now, cost_then } of rows) {
    add(unit_now, 'now', cost_now);
    add(unit_then, 'then', cost_then);
  }
  return [...sums].map(([unit, { now, then }]) => ({
    unit,
    cost_now: decimalOf(now),
    would_cost: decimalOf(then),
    difference: decimalOf(then - now),
  }));
}
