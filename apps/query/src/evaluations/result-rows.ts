import type { EvalResultsRequest, EvalResultsSort } from '@app/contracts';
import { numberOf, type JsonValue } from './trial-filter.js';

/** A trial as far as rows are selected and ordered by it. */
export interface TrialEntry {
  readonly id: string;
  readonly evaluationId: string;
  /** The digest of the example: trials of the same example are one row. */
  readonly digest: string;
  /** JSON text of an object. */
  readonly scores: string;
  /** Whether the trial matches each filter of the request. */
  readonly matches: readonly boolean[];
  /** The value of each sort field of the request. */
  readonly sortValues: readonly JsonValue[];
}

/** All trials of one example. */
export interface ResultRow {
  readonly digest: string;
  /** By evaluation, in the order of their first trials. */
  readonly evaluations: ReadonlyMap<string, readonly TrialEntry[]>;
}

export function groupedRows(trials: readonly TrialEntry[]): ResultRow[] {
  const rows = new Map<string, Map<string, TrialEntry[]>>();
  for (const trial of trials) {
    const evaluations = rows.get(trial.digest) ?? new Map<string, TrialEntry[]>();
    rows.set(trial.digest, evaluations);
    const entries = evaluations.get(trial.evaluationId);
    if (entries) entries.push(trial);
    else evaluations.set(trial.evaluationId, [trial]);
  }
  return [...rows].map(([digest, evaluations]) => ({ digest, evaluations }));
}

/** The rows that all evaluations have. */
export const intersection = (
  rows: readonly ResultRow[],
  evaluationIds: readonly string[],
): ResultRow[] =>
  rows.filter(({ evaluations }) => evaluationIds.every((id) => evaluations.has(id)));

type Filters = Pick<EvalResultsRequest, 'filters' | 'filter_logic_operator'>;

/**
 * The rows that match. A filter holds for a row when one of its trials matches, of those that the filter is about. With `or`
 * the filters about one evaluation belong together, and one such group is enough.
 */
export function matchingRows(
  rows: readonly ResultRow[],
  { filters, filter_logic_operator }: Filters,
): ResultRow[] {
  if (!filters?.length) return [...rows];
  const about = filters.map(({ evaluation_call_id }) => evaluation_call_id ?? undefined);
  const holds = (row: ResultRow, filter: number) =>
    trialsIn(row, about[filter]).some((trial) => trial.matches[filter]);
  const all = about.map((_, filter) => filter);
  const groups =
    filter_logic_operator === 'and'
      ? [all]
      : [...new Set(about)].map((id) => all.filter((filter) => about[filter] === id));
  return rows.filter((row) => groups.some((group) => group.every((filter) => holds(row, filter))));
}

const trialsIn = ({ evaluations }: ResultRow, id: string | undefined): readonly TrialEntry[] =>
  id === undefined ? [...evaluations.values()].flat() : (evaluations.get(id) ?? []);

/** By the sort fields, and by digest where they are equal. Rows without a value come last in either direction. */
export function sortedRows(
  rows: readonly ResultRow[],
  sortBy: readonly EvalResultsSort[] | null | undefined,
): ResultRow[] {
  const sorts = sortBy ?? [];
  const keyed = rows.map((row) => ({
    row,
    keys: sorts.map((sort, i) => sortKey(row, sort, i)),
  }));
  keyed.sort((a, b) => {
    for (const [i, { direction }] of sorts.entries()) {
      const order = compareKeys(a.keys[i], b.keys[i], direction === 'desc' ? -1 : 1);
      if (order !== 0) return order;
    }
    return a.row.digest < b.row.digest ? -1 : 1;
  });
  return keyed.map(({ row }) => row);
}

function sortKey(row: ResultRow, sort: EvalResultsSort, index: number): JsonValue {
  const valuesOf = (id: string | undefined) =>
    trialsIn(row, id).map(({ sortValues }) => sortValues[index]);
  if (sort.mode === 'difference') {
    const means = [...row.evaluations.keys()].flatMap((id) => mean(valuesOf(id)) ?? []);
    return means.length === 0 ? undefined : Math.max(...means) - Math.min(...means);
  }
  const values = valuesOf(sort.evaluation_call_id ?? undefined);
  if (isScore(sort.field)) return mean(values);
  return values.find((value) => value !== undefined);
}

export const isScore = (field: string): boolean => field.startsWith('scores.');

function mean(values: readonly JsonValue[]): number | undefined {
  const numbers = values.flatMap((value) => numberOf(value) ?? []);
  return numbers.length === 0
    ? undefined
    : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

/** Numbers come before texts, and texts that are numbers count as numbers. */
function compareKeys(a: JsonValue, b: JsonValue, sign: 1 | -1): number {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return sign * Math.sign(x - y);
  if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1;
  const [s, t] = [textOf(a), textOf(b)];
  if (s === undefined || t === undefined) return Number(s === undefined) - Number(t === undefined);
  return s === t ? 0 : sign * (s < t ? -1 : 1);
}

function textOf(value: JsonValue): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
