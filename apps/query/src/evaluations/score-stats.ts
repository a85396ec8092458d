/** Statistics over one value in the scores of an evaluation, such as `distance.passed`. */
interface ScoreStats {
  readonly scorer_key: string;
  readonly path: string | null;
  readonly value_type: 'binary' | 'continuous' | 'text';
  trial_count: number;
  numeric_count: number;
  sum: number;
  pass_true_count: number;
  pass_known_count: number;
}

/** More values than an evaluation has on purpose. A scorer may return objects with keys of their own for every row. */
const VALUES_MAX = 1000;

/** Collects the statistics of one evaluation over the scores of its trials. */
export class EvaluationStats {
  private readonly stats = new Map<string, ScoreStats>();
  trials = 0;
  isComplete = true;

  /** `scores` is the JSON text of an object. */
  add(scores: string): void {
    this.trials++;
    const parsed = JSON.parse(scores) as Readonly<Record<string, unknown>>;
    for (const [key, value] of Object.entries(parsed)) this.addValue(key, [], value);
  }

  get shown() {
    return [...this.stats.values()].map(({ sum, ...stats }) => ({
      ...stats,
      numeric_mean: stats.numeric_count === 0 ? null : sum / stats.numeric_count,
      pass_rate:
        stats.pass_known_count === 0 ? null : stats.pass_true_count / stats.pass_known_count,
      pass_signal_coverage: stats.pass_known_count / stats.trial_count,
    }));
  }

  /** Objects are entered; lists and nulls do not count. */
  private addValue(key: string, path: readonly string[], value: unknown): void {
    if (value === null || Array.isArray(value)) return;
    if (typeof value === 'object') {
      for (const [name, member] of Object.entries(value))
        this.addValue(key, [...path, name], member);
      return;
    }
    const stats = this.statsOf(key, path, value);
    if (stats === undefined) return;
    stats.trial_count++;
    if (typeof value === 'number') {
      stats.numeric_count++;
      stats.sum += value;
    }
    if (typeof value === 'boolean') {
      stats.pass_known_count++;
      stats.pass_true_count += Number(value);
    }
  }

  private statsOf(key: string, path: readonly string[], value: unknown): ScoreStats | undefined {
    const id = JSON.stringify([key, ...path]);
    const known = this.stats.get(id);
    if (known) return known;
    if (this.stats.size >= VALUES_MAX) {
      this.isComplete = false;
      return undefined;
    }
    const stats = {
      scorer_key: key,
      path: path.length === 0 ? null : path.join('.'),
      value_type: typeOf(value),
      trial_count: 0,
      numeric_count: 0,
      sum: 0,
      pass_true_count: 0,
      pass_known_count: 0,
    };
    this.stats.set(id, stats);
    return stats;
  }
}

function typeOf(value: unknown): ScoreStats['value_type'] {
  if (typeof value === 'boolean') return 'binary';
  return typeof value === 'number' ? 'continuous' : 'text';
}
