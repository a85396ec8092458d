import type { CallStats } from './stats-api.js';

/** A band of latencies in milliseconds; the last one has no end. */
export interface Band {
  readonly from: number;
  readonly to: number | undefined;
}

export interface Heat {
  /** The highest latency first, as on a chart. */
  readonly bands: readonly Band[];
  readonly times: readonly string[];
  readonly max: number;
  countAt(band: Band, time: string): number;
}

/** The lower bounds that the server groups by. */
const BOUNDS = [
  0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000,
  500_000,
];

/** Counts by time and band, with every band between the lowest and the highest that has a call. */
export function heatOf(rows: readonly CallStats[]): Heat {
  const known = rows.filter((row) => row['latency'] !== '');
  const keyOf = (time: string, from: number) => `${time} ${from}`;
  const counts = new Map(
    known.map((row) => [keyOf(row.timestamp, Number(row['latency'])), Number(row.sum_call_count)]),
  );
  const used = known.map((row) => Number(row['latency']));
  const [low, high] = [Math.min(...used), Math.max(...used)];
  const bands = BOUNDS.flatMap((from, i): Band[] =>
    from < low || from > high ? [] : [{ from, to: BOUNDS[i + 1] }],
  ).reverse();
  return {
    bands,
    times: [...new Set(known.map(({ timestamp }) => timestamp))].sort(),
    max: Math.max(0, ...counts.values()),
    countAt: ({ from }, time) => counts.get(keyOf(time, from)) ?? 0,
  };
}
