import { useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import type { Figure, MetricFigures } from './comparison.js';
import { CallLink, formatFigure, signed } from './figures.js';

/** Below this the page calls a difference significant. */
const ALPHA = 0.05;

interface MetricsTableProps {
  readonly projectId: string;
  readonly names: ReadonlyMap<string, string>;
  readonly figures: readonly MetricFigures[];
  readonly selected: string;
}

/** The mean of every metric in every run, and whether it differs from the baseline by more than chance. */
export function MetricsTable({ projectId, names, figures, selected }: MetricsTableProps) {
  const [, change] = useAddress();
  return (
    <section className={css.section} aria-labelledby="metrics">
      <h2 id="metrics">Metrics</h2>
      <div className={css.scroll} role="region" aria-label="Metrics" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              {[...names].map(([id, name]) => (
                <th key={id} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {figures.map(({ metric, figures: ofMetric }) => (
              <tr key={metric.key} className={metric.key === selected ? css.selected : ''}>
                <th scope="row">
                  <button
                    type="button"
                    aria-pressed={metric.key === selected}
                    onClick={() => change({ metric: metric.key, page: '' })}
                  >
                    {metric.label}
                  </button>
                </th>
                {ofMetric.map((figure) => (
                  <td key={figure.runId}>
                    <CallLink projectId={projectId} callId={figure.runId}>
                      {figure.mean === undefined ? '–' : formatFigure(figure.mean)}
                    </CallLink>
                    <Against figure={figure} isLowerBetter={metric.isLowerBetter} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={css.muted}>
        Each run is compared with the baseline over the examples that both have. Pass or fail: exact
        McNemar test. Other numbers: paired permutation test of the mean difference. Both are
        two-sided, and p is corrected for the number of comparisons (Holm). A difference with p
        below {ALPHA} is called significant.
      </p>
    </section>
  );
}

function Against({
  figure: { against },
  isLowerBetter,
}: {
  readonly figure: Figure;
  readonly isLowerBetter: boolean;
}) {
  if (against === undefined) return null;
  if (against.pairs === 0) return <div className={css.muted}>no example in common</div>;
  const [better, worse] = isLowerBetter
    ? [against.lower, against.higher]
    : [against.higher, against.lower];
  const gain = isLowerBetter ? -against.difference : against.difference;
  const isSignificant = against.adjusted < ALPHA;
  return (
    <div className={isSignificant ? (gain < 0 ? css.bad : css.good) : css.muted}>
      {signed(against.difference)}, {better} better, {worse} worse of {against.pairs}
      <br />
      {isSignificant ? 'significant' : 'not significant'}, p{' '}
      {against.adjusted < 0.001 ? '< 0.001' : `= ${against.adjusted.toFixed(3)}`}
    </div>
  );
}
