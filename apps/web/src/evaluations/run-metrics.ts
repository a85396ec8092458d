import { numbersIn } from './comparison.js';

/** Counts that stand beside a share say nothing more. */
const LESS_TELLING = /\.(true_count|false_count|count)$/;

/** The numbers of the summary of a run by path: `exact.mean`, `exact.true_fraction`, `model_latency.mean`. */
export function summaryOf(output: unknown): ReadonlyMap<string, number> {
  const numbers = numbersIn(output);
  const shares = new Set(
    numbers.flatMap(([path]) => (path.endsWith('.true_fraction') ? [path.slice(0, -14)] : [])),
  );
  return new Map(
    numbers.filter(
      ([path]) => !LESS_TELLING.test(path) || !shares.has(path.replace(LESS_TELLING, '')),
    ),
  );
}

const isLatency = (path: string) => /latency/.test(path);

/** The paths that most runs have, scores before latencies. */
export function commonPaths(
  summaries: readonly ReadonlyMap<string, number>[],
  max: number,
): string[] {
  const counts = new Map<string, number>();
  for (const summary of summaries)
    for (const path of summary.keys()) counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts]
    .sort(([a, m], [b, n]) => Number(isLatency(a)) - Number(isLatency(b)) || n - m)
    .slice(0, max)
    .map(([path]) => path);
}

/** A column of a leaderboard, as Weave's class Leaderboard has it. */
export interface LeaderboardColumn {
  readonly evaluation_object_ref: string;
  readonly scorer_name: string;
  readonly summary_metric_path: string;
  readonly should_minimize?: boolean | null;
}

/** The value of a column in the output of a run. A score may be a plain number or have its share of `true` or mean below. */
export function columnValue(column: LeaderboardColumn, output: unknown): number | undefined {
  const path = [column.scorer_name, column.summary_metric_path].filter((part) => part !== '');
  const wanted = path.join('.');
  const numbers = new Map(numbersIn(output));
  return (
    numbers.get(wanted) ?? numbers.get(`${wanted}.true_fraction`) ?? numbers.get(`${wanted}.mean`)
  );
}

/** The best value of a column; undefined when there is none. */
export function bestOf(values: readonly (number | undefined)[], isMinimum: boolean) {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  return isMinimum ? Math.min(...known) : Math.max(...known);
}
