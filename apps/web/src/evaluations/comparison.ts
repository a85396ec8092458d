import { holm, significanceOf, type Significance } from './significance.js';

export interface Trial {
  readonly predict_and_score_call_id: string;
  readonly model_output: unknown;
  readonly scores: Readonly<Record<string, unknown>>;
  readonly model_latency_seconds: number | null;
  readonly total_tokens: number | null;
  readonly total_cost: number | null;
}

/** The trials of one example. Runs are aligned by the digest of the example. */
export interface ResultRow {
  readonly row_digest: string;
  readonly raw_data_row: unknown;
  readonly evaluations: readonly {
    readonly evaluation_call_id: string;
    readonly trials: readonly Trial[];
  }[];
}

export interface Metric {
  readonly key: string;
  readonly label: string;
  readonly isLowerBetter: boolean;
}

const USED: readonly (Metric & { readonly read: (trial: Trial) => number | null })[] = [
  {
    key: 'latency',
    label: 'Latency, s',
    isLowerBetter: true,
    read: (trial) => trial.model_latency_seconds,
  },
  { key: 'tokens', label: 'Tokens', isLowerBetter: true, read: (trial) => trial.total_tokens },
  { key: 'cost', label: 'Cost, $', isLowerBetter: true, read: (trial) => trial.total_cost },
];
const METRICS_MAX = 40;
const DEPTH_MAX = 6;

/** The numbers of scores by path: `true` is 1. Texts and lists are no metrics. */
export function numbersIn(value: unknown, path = '', depth = 0): [string, number][] {
  if (typeof value === 'boolean') return [[path, value ? 1 : 0]];
  if (typeof value === 'number') return Number.isFinite(value) ? [[path, value]] : [];
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  if (depth >= DEPTH_MAX) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    numbersIn(member, path === '' ? key : `${path}.${key}`, depth + 1),
  );
}

/** The scores that any trial has, in the order of their first appearance, and then what the predictions used. */
export function metricsOf(rows: readonly ResultRow[]): Metric[] {
  const keys = new Set<string>();
  const used = new Set<string>();
  for (const trial of trialsOf(rows)) {
    for (const [key] of numbersIn(trial.scores)) if (keys.size < METRICS_MAX) keys.add(key);
    for (const { key, read } of USED) if (read(trial) !== null) used.add(key);
  }
  const scores = [...keys].map((key) => ({
    key: `scores.${key}`,
    label: key,
    isLowerBetter: false,
  }));
  return [...scores, ...USED.filter(({ key }) => used.has(key))];
}

const trialsOf = (rows: readonly ResultRow[]): readonly Trial[] =>
  rows.flatMap(({ evaluations }) => evaluations.flatMap(({ trials }) => trials));

const valueIn = (trial: Trial, key: string): number | undefined => {
  const used = USED.find((one) => one.key === key);
  if (used !== undefined) return used.read(trial) ?? undefined;
  return numbersIn(trial.scores).find(([path]) => `scores.${path}` === key)?.[1];
};

export const trialsIn = ({ evaluations }: ResultRow, runId: string): readonly Trial[] =>
  evaluations.find(({ evaluation_call_id }) => evaluation_call_id === runId)?.trials ?? [];

/** The mean over the trials of the example; undefined when none has the value. */
export function valueOf(row: ResultRow, runId: string, metric: Metric): number | undefined {
  return mean(trialsIn(row, runId).flatMap((trial) => valueIn(trial, metric.key) ?? []));
}

function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((total, value) => total + value, 0) / values.length;
}

/** One run in one metric. */
export interface Figure {
  readonly runId: string;
  readonly mean: number | undefined;
  /** Against the first run; undefined for the first run itself. */
  readonly against: (Significance & { readonly adjusted: number }) | undefined;
}

export interface MetricFigures {
  readonly metric: Metric;
  readonly figures: readonly Figure[];
}

/** Every metric of every run, compared with the first run over the examples that both have. */
export function figuresOf(
  rows: readonly ResultRow[],
  runIds: readonly string[],
  metrics: readonly Metric[],
): MetricFigures[] {
  const plain = metrics.map((metric) => {
    const values = runIds.map((id) => rows.map((row) => valueOf(row, id, metric)));
    return runIds.map((runId, run) => ({
      runId,
      mean: mean(values[run]!.filter((value) => value !== undefined)),
      against: run === 0 ? undefined : significanceOf(pairsOf(values[0]!, values[run]!)),
    }));
  });
  const tests = plain.flat().filter(({ against }) => against !== undefined);
  const adjusted = holm(tests.map(({ against }) => against!.p));
  return metrics.map((metric, i) => ({
    metric,
    figures: plain[i]!.map((figure) => {
      const { against } = figure;
      return {
        ...figure,
        against: against && { ...against, adjusted: adjusted[tests.indexOf(figure)]! },
      };
    }),
  }));
}

const pairsOf = (
  baselines: readonly (number | undefined)[],
  candidates: readonly (number | undefined)[],
) =>
  baselines.flatMap((baseline, i) => {
    const candidate = candidates[i];
    return baseline === undefined || candidate === undefined ? [] : [{ baseline, candidate }];
  });

/** How much better a run is than the first one in an example; undefined when one of them has no value. */
export function gainOf(
  row: ResultRow,
  runIds: readonly string[],
  runId: string,
  metric: Metric,
): number | undefined {
  const before = valueOf(row, runIds[0] ?? '', metric);
  const after = valueOf(row, runId, metric);
  if (before === undefined || after === undefined) return undefined;
  return metric.isLowerBetter ? before - after : after - before;
}

/** The examples that became worse come first, the worst of them first; those that cannot be compared come last. */
export function regressionsFirst(
  rows: readonly ResultRow[],
  runIds: readonly string[],
  metric: Metric,
): ResultRow[] {
  const worst = new Map(
    rows.map((row) => {
      const gains = runIds.slice(1).flatMap((id) => gainOf(row, runIds, id, metric) ?? []);
      return [row, gains.length === 0 ? Infinity : Math.min(...gains)] as const;
    }),
  );
  return [...rows].sort(
    (a, b) => compare(worst.get(a)!, worst.get(b)!) || (a.row_digest < b.row_digest ? -1 : 1),
  );
}

const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);

export const isRegression = (row: ResultRow, runIds: readonly string[], metric: Metric): boolean =>
  runIds.slice(1).some((id) => (gainOf(row, runIds, id, metric) ?? 0) < 0);
