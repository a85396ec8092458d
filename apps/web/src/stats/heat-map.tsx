import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount, formatDuration, formatTime } from '../format.js';
import { Problem, useNow } from '../ui/parts.js';
import css from '../ui/board.module.css';
import { heatOf, type Band } from './heat.js';
import { heatQuery, type StatsPeriod } from './stats-api.js';

/** Part of the strongest colour that keeps the text readable on it. */
const STRONGEST = 55;
const WEAKEST = 8;

interface HeatMapProps {
  readonly projectId: string;
  readonly period: StatsPeriod;
  readonly end: number;
}

/** Latency over time: the more traces, the stronger the colour. It is a table, so that it can be read without colours too. */
export function HeatMap({ projectId, period, end }: HeatMapProps) {
  const now = useNow(60_000);
  const [entity = '', project = ''] = projectId.split('/');
  const { data, error } = useQuery({
    ...heatQuery(projectId, period, end),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <Problem error={error} />;
  if (data === undefined || data.call_buckets.length === 0) return null;
  const heat = heatOf(data.call_buckets);
  const until = (start: string) =>
    new Date(Date.parse(start) + data.granularity * 1000).toISOString();
  const colour = (count: number) => {
    const share = Math.sqrt(count / heat.max);
    const percent = Math.round(WEAKEST + share * (STRONGEST - WEAKEST));
    return `color-mix(in srgb, var(--bar) ${percent}%, var(--surface))`;
  };
  return (
    <section className={css.section} aria-labelledby="heat">
      <h2 id="heat">Latency of traces over time</h2>
      <div className={css.scroll} role="region" aria-label="Latency over time" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">Latency</th>
              {heat.times.map((time) => (
                <th key={time} scope="col">
                  {formatTime(time, now)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {heat.bands.map((band) => (
              <tr key={band.from}>
                <th scope="row">{bandLabel(band)}</th>
                {heat.times.map((time) => {
                  const count = heat.countAt(band, time);
                  if (count === 0) return <td key={time} />;
                  return (
                    <td key={time} className={css.number} style={{ background: colour(count) }}>
                      <Link
                        to="/$entity/$project/weave/traces"
                        params={{ entity, project }}
                        search={{ q: bandFilter(band), from: time, to: until(time) }}
                        className={css.plain}
                        aria-label={`${count} traces of ${bandLabel(band)} from ${formatTime(time, now)}`}
                      >
                        {formatCount(count)}
                      </Link>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const bandLabel = ({ from, to }: Band): string =>
  to === undefined ? `from ${formatDuration(from)}` : `${duration(from)} to ${duration(to)}`;

const duration = (ms: number) => (ms === 0 ? '0' : formatDuration(ms));

const bandFilter = ({ from, to }: Band): string =>
  to === undefined ? `latency >= ${from}ms` : `latency >= ${from}ms and latency < ${to}ms`;
