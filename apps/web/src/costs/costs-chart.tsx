import { formatMoney } from '../format.js';
import { sumOf } from './decimal.js';
import { OTHERS, type Stack } from './summary.js';
import board from '../ui/board.module.css';
import css from './costs.module.css';

const HEIGHT = 120;

interface ChartProps {
  readonly series: readonly string[];
  readonly stacks: readonly Stack[];
  readonly label: (group: string) => string;
  /** Opens the sum of a group in one step. */
  readonly onSelect: (group: string, step: string) => void;
}

/** For the height of a bar; figures are sums of decimals. */
const sum = (values: readonly string[]) =>
  values.reduce((total, value) => total + Number(value), 0);

/** Stacked bars, and the same as a table. */
export function CostsChart({ series, stacks, label, onSelect }: ChartProps) {
  const max = Math.max(...stacks.map(({ costs }) => sum(costs)));
  if (!(max > 0)) return null;
  return (
    <figure className={css.figure}>
      <svg
        role="img"
        aria-label={`Costs over time by group; at most ${formatMoney(max)}`}
        viewBox={`0 0 ${stacks.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={css.chart}
      >
        {stacks.map(({ step, costs }, index) => (
          <g key={step}>
            <title>{`${step}: ${formatMoney(Number(sumOf(costs)))}`}</title>
            {costs.map((cost, nth) => {
              const below = (sum(costs.slice(0, nth)) / max) * HEIGHT;
              const height = (Number(cost) / max) * HEIGHT;
              return (
                <rect
                  key={series[nth]}
                  className={css[`series${nth}`]}
                  x={index + 0.1}
                  width={0.8}
                  y={HEIGHT - below - height}
                  height={height}
                />
              );
            })}
          </g>
        ))}
      </svg>
      <div className={css.axis} aria-hidden>
        <span>{stacks[0]?.step}</span>
        <span>{stacks.at(-1)?.step}</span>
      </div>
      <ul className={css.legend}>
        {series.map((group, nth) => (
          <li key={group}>
            <span aria-hidden className={`${css.swatch} ${css[`series${nth}`]}`} /> {label(group)}
          </li>
        ))}
      </ul>
      <details>
        <summary>The chart as a table</summary>
        <Twin series={series} stacks={stacks} label={label} onSelect={onSelect} />
      </details>
    </figure>
  );
}

function Twin({ series, stacks, label, onSelect }: ChartProps) {
  return (
    <div className={board.scroll} role="region" aria-label="The chart as a table" tabIndex={0}>
      <table className={`${board.table} ${css.table}`}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map((group) => (
              <th key={group} scope="col" className={css.number}>
                {label(group)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stacks.map(({ step, costs }) => (
            <tr key={step}>
              <th scope="row">{step}</th>
              {costs.map((cost, nth) => (
                <td key={series[nth]} className={css.number} title={cost}>
                  {cost === '0' || series[nth] === OTHERS ? (
                    formatMoney(Number(cost))
                  ) : (
                    <button
                      type="button"
                      aria-label={`Cost of ${label(series[nth]!)}, ${step}: ${formatMoney(Number(cost))}. Show its sum`}
                      onClick={() => onSelect(series[nth]!, step)}
                    >
                      {formatMoney(Number(cost))}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
