import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { formatCount, formatDuration, formatTime, opLabel } from '../format.js';
import { Empty, Problem, useNow, useTitle } from '../ui/parts.js';
import css from '../costs/costs.module.css';
import {
  errorRate,
  STATS_PERIODS,
  statsQuery,
  tokensOf,
  type CallStats,
  type Stats,
} from './stats-api.js';

const GROUPS = ['op', 'model', 'user', 'status', 'thread'];
const FROM = '/$entity/$project/weave/stats';
const MINUTE = 60;

/** Calls, errors, latency and tokens over time and by group. A time opens the list of its calls. */
export function Statistics() {
  const { entity, project } = useParams({ from: FROM });
  const projectId = `${entity}/${project}`;
  useTitle(`Statistics of ${projectId}`);
  const { by = 'op', last } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const period = STATS_PERIODS.find(({ name }) => name === last) ?? STATS_PERIODS[0]!;
  const end = Math.ceil(useNow(MINUTE * 1000) / 1000 / MINUTE) * MINUTE;
  const options = { placeholderData: keepPreviousData } as const;
  const overTime = useQuery({ ...statsQuery(projectId, period, end), ...options });
  const grouped = useQuery({ ...statsQuery(projectId, period, end, by), ...options });
  const error = overTime.error ?? grouped.error;
  return (
    <main id="main" className={css.costs}>
      <div className={css.head}>
        <h1>Statistics</h1>
        <label className={css.field}>
          Period
          <select
            value={period.name}
            onChange={({ target }) => void navigate({ search: { by, last: target.value } })}
          >
            {STATS_PERIODS.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className={css.field}>
          Groups by
          <select
            value={by}
            onChange={({ target }) =>
              void navigate({ search: { by: target.value, last: period.name } })
            }
          >
            {GROUPS.map((group) => (
              <option key={group}>{group}</option>
            ))}
          </select>
        </label>
      </div>
      {error !== null && (
        <Problem
          error={error}
          retry={() => void Promise.all([overTime.refetch(), grouped.refetch()])}
        />
      )}
      {overTime.data === undefined && error === null && <Empty>Loading…</Empty>}
      {grouped.data !== undefined && <Groups by={by} rows={grouped.data.call_buckets} />}
      {overTime.data !== undefined && (
        <Buckets stats={overTime.data} entity={entity} project={project} />
      )}
    </main>
  );
}

const duration = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));
const percent = (rate: number) => `${(rate * 100).toFixed(1)} %`;

function Latencies({ row }: { readonly row: CallStats }) {
  return (
    <>
      <td className={css.number}>{formatCount(row.sum_call_count)}</td>
      <td className={css.number}>{percent(errorRate(row))}</td>
      <td className={css.number}>{duration(row.p50_latency_ms)}</td>
      <td className={css.number}>{duration(row.p95_latency_ms)}</td>
      <td className={css.number}>{duration(row.p99_latency_ms)}</td>
    </>
  );
}

const COLUMNS = ['Calls', 'Errors', 'Median latency', '95th percentile', '99th percentile'];

function Head({ first, more = [] }: { readonly first: string; readonly more?: readonly string[] }) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {[...COLUMNS, ...more].map((name) => (
          <th key={name} scope="col" className={css.number}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** The slowest groups first. */
function Groups({ by, rows }: { readonly by: string; readonly rows: readonly CallStats[] }) {
  const sorted = [...rows].sort((a, b) => (b.p95_latency_ms ?? -1) - (a.p95_latency_ms ?? -1));
  const label = (row: CallStats) => {
    const value = String(row[by] ?? '');
    return value === '' ? 'none' : by === 'op' ? opLabel(value) : value;
  };
  if (rows.length === 0) return <Empty>No calls in this period.</Empty>;
  return (
    <div className={css.scroll} role="region" aria-label={`All calls by ${by}`} tabIndex={0}>
      <table className={css.table}>
        <Head first={`All calls by ${by}`} />
        <tbody>
          {sorted.map((row) => (
            <tr key={`${row[by]}`}>
              <th scope="row">{label(row)}</th>
              <Latencies row={row} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface BucketsProps {
  readonly stats: Stats;
  readonly entity: string;
  readonly project: string;
}

/** The newest bucket first. */
function Buckets({ stats, entity, project }: BucketsProps) {
  const now = useNow(60_000);
  const tokens = tokensOf(stats.usage_buckets);
  const buckets = [...stats.call_buckets].reverse();
  const endOf = (start: string) =>
    new Date(Date.parse(start) + stats.granularity * 1000).toISOString();
  return (
    <div className={css.scroll} role="region" aria-label="Traces over time" tabIndex={0}>
      <table className={css.table}>
        <Head first="Traces from" more={['Traces per minute', 'Tokens']} />
        <tbody>
          {buckets.map((row) => (
            <tr key={row.timestamp}>
              <th scope="row">
                <Link
                  to="/$entity/$project/weave/traces"
                  params={{ entity, project }}
                  search={{ from: row.timestamp, to: endOf(row.timestamp) }}
                >
                  {formatTime(row.timestamp, now)}
                </Link>
              </th>
              <Latencies row={row} />
              <td className={css.number}>
                {((row.sum_call_count / stats.granularity) * 60).toFixed(2)}
              </td>
              <td className={css.number}>{formatCount(tokens.get(row.timestamp) ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
