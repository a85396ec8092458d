import { Link } from '@tanstack/react-router';
import { formatCount, formatDuration, formatShare, formatTime, opLabel } from '../format.js';
import { Empty, useNow } from '../ui/parts.js';
import css from '../ui/board.module.css';
import { groupFilter } from './group-filter.js';
import { errorRate, tokensOf, type CallStats, type Stats } from './stats-api.js';

const duration = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));

/** Whether any call has recorded when its first token came. */
const hasFirstToken = (rows: readonly CallStats[]) =>
  rows.some(({ p50_time_to_first_token_ms }) => p50_time_to_first_token_ms !== null);

interface FiguresProps {
  readonly row: CallStats;
  readonly seconds: number;
  readonly tokens: number;
  readonly withFirstToken: boolean;
}

function Figures({ row, seconds, tokens, withFirstToken }: FiguresProps) {
  const figures = [
    formatCount(row.sum_call_count),
    formatShare(errorRate(row)),
    duration(row.p50_latency_ms),
    duration(row.p95_latency_ms),
    duration(row.p99_latency_ms),
    ((row.sum_call_count / seconds) * 60).toFixed(2),
    formatCount(tokens),
    ...(withFirstToken ? [duration(row.p50_time_to_first_token_ms)] : []),
  ];
  // The columns never change their order.
  return figures.map((figure, i) => (
    <td key={i} className={css.number}>
      {figure}
    </td>
  ));
}

interface HeadProps {
  readonly first: string;
  readonly withFirstToken: boolean;
}

function Head({ first, withFirstToken }: HeadProps) {
  const names = [
    'Calls',
    'Errors',
    'Median latency',
    '95th percentile',
    '99th percentile',
    'Per minute',
    'Tokens',
    ...(withFirstToken ? ['Median time to first token'] : []),
  ];
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {names.map((name) => (
          <th key={name} scope="col" className={css.number}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface GroupsProps {
  readonly projectId: string;
  readonly by: string;
  readonly stats: Stats;
  readonly range: { readonly from: string; readonly to: string };
}

const GROUPS_SHOWN = 500;

/** The slowest groups first. A group opens the list of its calls. */
export function Groups({ projectId, by, stats, range }: GroupsProps) {
  const [entity = '', project = ''] = projectId.split('/');
  const rows = stats.call_buckets;
  const tokens = tokensOf(stats.usage_buckets, by);
  const withFirstToken = hasFirstToken(rows);
  const seconds = (Date.parse(range.to) - Date.parse(range.from)) / 1000;
  const sorted = [...rows].sort((a, b) => (b.p95_latency_ms ?? -1) - (a.p95_latency_ms ?? -1));
  const valueOf = (row: CallStats) => String(row[by] ?? '');
  const label = (value: string) => (value === '' ? 'none' : by === 'op' ? opLabel(value) : value);
  if (rows.length === 0) return <Empty>No calls in this period.</Empty>;
  return (
    <div className={css.scroll} role="region" aria-label={`All calls by ${by}`} tabIndex={0}>
      <table className={css.table}>
        <Head first={`All calls by ${by}`} withFirstToken={withFirstToken} />
        <tbody>
          {sorted.slice(0, GROUPS_SHOWN).map((row) => {
            const value = valueOf(row);
            const q = groupFilter(by, value);
            return (
              <tr key={value}>
                <th scope="row" className={css.wide}>
                  {q === undefined ? (
                    label(value)
                  ) : (
                    <Link
                      to="/$entity/$project/weave/traces"
                      params={{ entity, project }}
                      search={{ ...range, q, calls: 'all' }}
                    >
                      {label(value)}
                    </Link>
                  )}
                </th>
                <Figures
                  row={row}
                  seconds={seconds}
                  tokens={tokens.get(value) ?? 0}
                  withFirstToken={withFirstToken}
                />
              </tr>
            );
          })}
        </tbody>
      </table>
      {sorted.length > GROUPS_SHOWN && (
        <p className={css.muted}>
          The slowest {formatCount(GROUPS_SHOWN)} of {formatCount(sorted.length)} groups are shown.
        </p>
      )}
    </div>
  );
}

interface BucketsProps {
  readonly projectId: string;
  readonly stats: Stats;
}

/** The newest bucket first. A time opens the list of its traces. */
export function Buckets({ projectId, stats }: BucketsProps) {
  const now = useNow(60_000);
  const [entity = '', project = ''] = projectId.split('/');
  const tokens = tokensOf(stats.usage_buckets);
  const buckets = [...stats.call_buckets].reverse();
  const withFirstToken = hasFirstToken(buckets);
  const until = (start: string) =>
    new Date(Date.parse(start) + stats.granularity * 1000).toISOString();
  return (
    <div className={css.scroll} role="region" aria-label="Traces over time" tabIndex={0}>
      <table className={css.table}>
        <Head first="Traces from" withFirstToken={withFirstToken} />
        <tbody>
          {buckets.map((row) => (
            <tr key={row.timestamp}>
              <th scope="row">
                <Link
                  to="/$entity/$project/weave/traces"
                  params={{ entity, project }}
                  search={{ from: row.timestamp, to: until(row.timestamp) }}
                >
                  {formatTime(row.timestamp, now)}
                </Link>
              </th>
              <Figures
                row={row}
                seconds={stats.granularity}
                tokens={tokens.get(row.timestamp) ?? 0}
                withFirstToken={withFirstToken}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
