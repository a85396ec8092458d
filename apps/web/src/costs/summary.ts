import type { CostRow } from './costs-api.js';
import { sumOf } from './decimal.js';

/** The name of the group's column in the rows of a report. */
export const columnOf = (by: string): string => (by.includes('.') ? 'attribute_1' : by);

export const valueOf = (row: CostRow, column: string): string => String(row[column] ?? '');

/** The groups of a chart: more than these are shown as one. */
const SERIES_MAX = 7;
export const OTHERS = 'others';

export interface Totals {
  /** Decimals by currency. */
  readonly costs: ReadonlyMap<string, string>;
  readonly tokens: number;
  readonly unpricedTokens: number;
}

export function totalsOf(rows: readonly CostRow[]): Totals {
  const costs = new Map<string, string>();
  for (const { unit, total_cost } of rows) {
    if (unit !== null && total_cost !== null)
      costs.set(unit, sumOf([costs.get(unit) ?? '0', total_cost]));
  }
  return {
    costs,
    tokens: rows.reduce((sum, row) => sum + row.total_tokens, 0),
    unpricedTokens: rows.reduce((sum, row) => sum + row.unpriced_tokens, 0),
  };
}

/** Null without costs before: then there is no share of change. */
export function changeOf(now: string | null, before: string | null | undefined): number | null {
  const base = Number(before ?? 0);
  return now === null || base === 0 ? null : (Number(now) - base) / base;
}

export interface Stack {
  readonly step: string;
  /** Decimals, one for each series, in the same order. */
  readonly costs: readonly string[];
}

/** The costs of each step by group, the most expensive groups first. All of one currency. */
export function stacksOf(
  rows: readonly CostRow[],
  steps: readonly string[],
  columns: { readonly step: string; readonly group: string },
): { readonly series: readonly string[]; readonly stacks: readonly Stack[] } {
  const unit = rows.find(hasCost)?.unit;
  const priced = rows.filter((row) => hasCost(row) && row.unit === unit);
  const sums = new Map<string, string>();
  const cells = new Map<string, string>();
  for (const row of priced) {
    const group = valueOf(row, columns.group);
    sums.set(group, sumOf([sums.get(group) ?? '0', row.total_cost!]));
    cells.set(cellOf(valueOf(row, columns.step), group), row.total_cost!);
  }
  const ordered = [...sums].sort(([, a], [, b]) => Number(b) - Number(a)).map(([group]) => group);
  const shown = ordered.slice(0, SERIES_MAX);
  const rest = ordered.slice(SERIES_MAX);
  const costOf = (step: string, group: string) => cells.get(cellOf(step, group)) ?? '0';
  const stacks = steps.map((step) => ({
    step,
    costs: [
      ...shown.map((group) => costOf(step, group)),
      ...(rest.length > 0 ? [sumOf(rest.map((group) => costOf(step, group)))] : []),
    ],
  }));
  return { series: rest.length > 0 ? [...shown, OTHERS] : shown, stacks };
}

const hasCost = ({ total_cost }: CostRow) => total_cost !== null && Number(total_cost) !== 0;

const cellOf = (step: string, group: string) => JSON.stringify([step, group]);
