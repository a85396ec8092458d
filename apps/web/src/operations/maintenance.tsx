import { useQuery } from '@tanstack/react-query';
import { formatAge, formatCount, formatDuration, formatTime } from '../format.js';
import { Problem, useNow } from '../ui/parts.js';
import { healthQuery, retentionQuery, type ServerHealth } from './health-api.js';
import { period } from './time-left.js';
import board from '../ui/board.module.css';
import css from './operations.module.css';

/** What would be deleted tonight, and the periodic jobs of the workers. */
export function Maintenance() {
  const { data, error, refetch } = useQuery(healthQuery);
  return (
    <div className={css.column}>
      <Retention />
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data?.server && <Jobs jobs={data.server.maintenance} />}
    </div>
  );
}

function Retention() {
  const now = useNow(60_000);
  const { data, error, refetch } = useQuery(retentionQuery);
  const total = (of: 'calls' | 'feedback') =>
    data?.projects.reduce((sum, project) => sum + project[of], 0) ?? 0;
  return (
    <section aria-labelledby="retention" className={css.section}>
      <h2 id="retention">Retention: what would go tonight</h2>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <p>
          {data.projects.length === 0
            ? 'No project has a retention, so nothing is deleted.'
            : `The next run is at ${formatTime(data.next_run_at, now)} and would delete ${formatCount(total('calls'))} calls and ${formatCount(total('feedback'))} feedback.`}
        </p>
      )}
      {data !== undefined && data.projects.length > 0 && (
        <div className={board.scroll} role="region" aria-label="Retention" tabIndex={0}>
          <table className={`${board.table} ${css.table}`}>
            <thead>
              <tr>
                <th scope="col">Project</th>
                <th scope="col" className={css.number}>
                  Retention, days
                </th>
                <th scope="col" className={css.number}>
                  Calls to delete
                </th>
                <th scope="col" className={css.number}>
                  Feedback, days
                </th>
                <th scope="col" className={css.number}>
                  Feedback to delete
                </th>
              </tr>
            </thead>
            <tbody>
              {data.projects.map((project) => (
                <tr key={project.project_id}>
                  <th scope="row">{project.project_id}</th>
                  <td className={css.number}>{days(project.retention_days, 'indefinitely')}</td>
                  <td className={css.number}>{formatCount(project.calls)}</td>
                  <td className={css.number}>
                    {days(project.feedback_retention_days, 'as the call')}
                  </td>
                  <td className={css.number}>{formatCount(project.feedback)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {data.next !== null && (
            <p className={css.note}>
              Only the first {formatCount(data.projects.length)} projects are listed.
            </p>
          )}
        </div>
      )}
    </section>
  );
}

const days = (count: number | null, otherwise: string) =>
  count === null ? otherwise : formatCount(count);

function Jobs({ jobs }: { readonly jobs: ServerHealth['maintenance'] }) {
  const now = useNow(5_000);
  return (
    <section aria-labelledby="jobs" className={css.section}>
      <h2 id="jobs">Jobs</h2>
      <div className={board.scroll} role="region" aria-label="Jobs" tabIndex={0}>
        <table className={`${board.table} ${css.table}`}>
          <thead>
            <tr>
              {['Job', 'Every', 'Last run', 'Took', 'Next run', 'Result'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {jobs.map((job) => (
              <tr key={job.name}>
                <th scope="row">{job.name}</th>
                <td>{period(job.every_seconds)}</td>
                <td>{job.last_started_at === null ? '–' : formatAge(job.last_started_at, now)}</td>
                <td>
                  {job.last_took_seconds === null
                    ? '–'
                    : formatDuration(job.last_took_seconds * 1000)}
                </td>
                <td>{job.next_at === null ? '–' : formatTime(job.next_at, now)}</td>
                <td className={job.last_error === null ? '' : css.bad}>
                  {job.last_error ?? (job.last_started_at === null ? '–' : 'ok')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
