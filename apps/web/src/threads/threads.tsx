import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { formatAge, formatCount, formatDuration } from '../format.js';
import { Empty, Problem, useNow, useTitle } from '../ui/parts.js';
import { pageIn, useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import { THREADS_PER_PAGE, threadsQuery } from './threads-api.js';

const COLUMNS: readonly (readonly [field: string, label: string])[] = [
  ['turn_count', 'Turns'],
  ['p50_turn_duration_ms', 'Median latency of a turn'],
  ['p99_turn_duration_ms', '99th percentile'],
  ['start_time', 'Started'],
  ['last_updated', 'Last turn'],
];
const REFRESH_MS = 5_000;

/** The conversations of a project. Weave calls them threads; others call them sessions. */
export function Threads() {
  const { entity = '', project = '' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  useTitle(`Threads of ${projectId}`);
  const now = useNow(30_000);
  const [{ page: pageText, sort: wanted }, change] = useAddress();
  const page = pageIn(pageText);
  const sort = COLUMNS.find(([field]) => field === wanted)?.[0] ?? 'last_updated';
  const { data, error, refetch } = useQuery({
    ...threadsQuery(projectId, page, sort),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const duration = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));
  return (
    <main id="main" className={css.screen}>
      <h1>Threads</h1>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Empty>Loading…</Empty>}
      {data?.length === 0 && (
        <Empty>No threads. Calls inside weave.thread of the SDK make one.</Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <>
          <div className={css.scroll} role="region" aria-label="Threads" tabIndex={0}>
            <table className={css.table}>
              <thead>
                <tr>
                  <th scope="col">Thread</th>
                  {COLUMNS.map(([field, label]) => (
                    <th
                      key={field}
                      scope="col"
                      aria-sort={field === sort ? 'descending' : 'none'}
                      className={css.number}
                    >
                      <button type="button" onClick={() => change({ sort: field, page: '' })}>
                        {label}
                        {field === sort ? ' ↓' : ''}
                      </button>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {data.slice(0, THREADS_PER_PAGE).map((thread) => (
                  <tr key={thread.thread_id}>
                    <th scope="row" className={css.wide}>
                      <Link
                        to="/$entity/$project/weave/threads/$id"
                        params={{ entity, project, id: thread.thread_id }}
                      >
                        {thread.thread_id}
                      </Link>
                    </th>
                    <td className={css.number}>{formatCount(thread.turn_count)}</td>
                    <td className={css.number}>{duration(thread.p50_turn_duration_ms)}</td>
                    <td className={css.number}>{duration(thread.p99_turn_duration_ms)}</td>
                    <td className={css.number}>{formatAge(thread.start_time, now)}</td>
                    <td className={css.number}>{formatAge(thread.last_updated, now)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <div className={css.actions}>
            <button
              type="button"
              disabled={page === 0}
              onClick={() => change({ page: String(page - 1) })}
            >
              Previous
            </button>
            <button
              type="button"
              disabled={data.length <= THREADS_PER_PAGE}
              onClick={() => change({ page: String(page + 1) })}
            >
              Next
            </button>
          </div>
        </>
      )}
    </main>
  );
}
