import type { CostRow } from './costs-api.js';

/** The name of the group's column in the rows of a report. */
export const columnOf = (by: string): string => (by.includes('.') ? 'attribute_1' : by);

export const valueOf = (row: CostRow, column: string): string => String(row[column] ?? '');

/** The groups of a chart: more than these are shown as one. */
const SERIES_MAX = 7;
export const OTHERS = 'others';

export interface Totals {
  /** By currency. */
  readonly costs: ReadonlyMap<string, number>;
  readonly tokens: number;
  readonly unpricedTokens: number;
}

export function totalsOf(rows: readonly CostRow[]): Totals {
  const costs = new Map<string, number>();
  for (const { unit, total_cost } of rows) {
    if (unit !== null && total_cost !== null) costs.set(unit, (costs.get(unit) ?? 0) + total_cost);
  }
  return {
    costs,
    tokens: rows.reduce((sum, row) => sum + row.total_tokens, 0),
    unpricedTokens: rows.reduce((sum, row) => sum + row.unpriced_tokens, 0),
  };
}

/** Null without costs before: then there is no share of change. */
export function changeOf(now: number | null, before: number | null | undefined): number | null {
  return now === null || !before ? null : (now - before) / before;
}

export interface Stack {
  readonly step: string;
  /** One for each series, in the same order. */
  readonly costs: readonly number[];
}

/** The costs of each step by group, the most expensive groups first. All of one currency. */
export function stacksOf(
  rows: readonly CostRow[],
  steps: readonly string[],
  columns: { readonly step: string; readonly group: string },
): { readonly series: readonly string[]; readonly stacks: readonly Stack[] } {
  const unit = rows.find((row) => row.total_cost)?.unit;
  const priced = rows.filter((row) => row.total_cost && row.unit === unit);
  const sums = new Map<string, number>();
  const cells = new Map<string, number>();
  for (const row of priced) {
    const group = valueOf(row, columns.group);
    sums.set(group, (sums.get(group) ?? 0) + row.total_cost!);
    cells.set(cellOf(valueOf(row, columns.step), group), row.total_cost!);
  }
  const ordered = [...sums].sort(([, a], [, b]) => b - a).map(([group]) => group);
  const shown = ordered.slice(0, SERIES_MAX);
  const rest = ordered.slice(SERIES_MAX);
  const costOf = (step: string, group: string) => cells.get(cellOf(step, group)) ?? 0;
  const stacks = steps.map((step) => ({
    step,
    costs: [
      ...shown.map((group) => costOf(step, group)),
      ...(rest.length > 0 ? [rest.reduce((sum, group) => sum + costOf(step, group), 0)] : []),
    ],
  }));
  return { series: rest.length > 0 ? [...shown, OTHERS] : shown, stacks };
}

const cellOf = (step: string, group: string) => JSON.stringify([step, group]);
