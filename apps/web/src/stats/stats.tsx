import { useState, type FormEvent } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Empty, Problem, useNow, useTitle } from '../ui/parts.js';
import { useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import { GROUPS, isGroup } from './group-filter.js';
import { HeatMap } from './heat-map.js';
import { StatsCharts } from './stats-charts.js';
import { Buckets, Groups } from './stats-tables.js';
import { endOf, groupsQuery, STATS_PERIODS, statsQuery } from './stats-api.js';
import { ThumbsDown } from './thumbs-down.js';

/** Calls, errors, latency and tokens over time and by group. A time and a group open the list of their calls. */
export function Statistics() {
  const { entity = '', project = '' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  useTitle(`Statistics of ${projectId}`);
  const [{ by = 'op', last }, change] = useAddress();
  const period = STATS_PERIODS.find(({ name }) => name === last) ?? STATS_PERIODS[0]!;
  const end = endOf(period, useNow(60_000));
  const options = { placeholderData: keepPreviousData } as const;
  const overTime = useQuery({ ...statsQuery(projectId, period, end), ...options });
  const grouped = useQuery({ ...groupsQuery(projectId, period, end, by), ...options });
  const error = overTime.error ?? grouped.error;
  const range = {
    from: new Date((end - period.seconds) * 1000).toISOString(),
    to: new Date(end * 1000).toISOString(),
  };
  return (
    <main id="main" className={css.screen}>
      <div className={css.head}>
        <h1>Statistics</h1>
        <label className={css.field}>
          Period
          <select value={period.name} onChange={({ target }) => change({ last: target.value })}>
            {STATS_PERIODS.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className={css.field}>
          Groups by
          <select value={by} onChange={({ target }) => change({ by: target.value })}>
            {[...GROUPS, ...(GROUPS.includes(by) ? [] : [by])].map((group) => (
              <option key={group}>{group}</option>
            ))}
          </select>
        </label>
        <PathGroup key={by} onPath={(path) => change({ by: path })} />
        <Link
          to="/$entity/$project/weave/traces"
          params={{ entity, project }}
          search={{ ...range, sort: '-summary.weave.latency_ms', calls: 'all' }}
        >
          Slowest calls
        </Link>
        <Link
          to="/$entity/$project/weave/traces"
          params={{ entity, project }}
          search={{ ...range, q: 'status = error', calls: 'all' }}
        >
          Errors
        </Link>
      </div>
      {error !== null && (
        <Problem
          error={error}
          retry={() => void Promise.all([overTime.refetch(), grouped.refetch()])}
        />
      )}
      {overTime.data === undefined && error === null && <Empty>Loading…</Empty>}
      {overTime.data !== undefined && <StatsCharts projectId={projectId} stats={overTime.data} />}
      {/* The rows of another group have no value of this one. */}
      {grouped.isPlaceholderData && <Empty>Loading…</Empty>}
      {grouped.data !== undefined && !grouped.isPlaceholderData && (
        <Groups projectId={projectId} by={by} stats={grouped.data} range={range} />
      )}
      <HeatMap projectId={projectId} period={period} end={end} />
      {overTime.data !== undefined && <Buckets projectId={projectId} stats={overTime.data} />}
      <ThumbsDown projectId={projectId} />
    </main>
  );
}

/** Any path into a payload is a group. */
function PathGroup({ onPath }: { readonly onPath: (path: string) => void }) {
  const [path, setPath] = useState('');
  const group = (event: FormEvent) => {
    event.preventDefault();
    if (isGroup(path.trim())) onPath(path.trim());
  };
  return (
    <form className={css.actions} onSubmit={group}>
      <label className={css.field}>
        or by a path
        <input
          value={path}
          placeholder="attributes.team"
          onChange={({ target }) => setPath(target.value)}
        />
      </label>
      <button type="submit" disabled={!isGroup(path.trim())}>
        Group
      </button>
    </form>
  );
}
