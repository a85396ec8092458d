import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { formatAge, formatCount } from '../format.js';
import { Empty, Problem, useNow, useTitle } from '../ui/parts.js';
import css from '../ui/board.module.css';
import { queuesQuery } from './queues-api.js';

/** The annotation queues of a project with their progress. */
export function AnnotationQueues() {
  const { entity = '', project = '' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  useTitle(`Annotation queues of ${projectId}`);
  const now = useNow(60_000);
  const { data, error, refetch } = useQuery(queuesQuery(projectId));
  return (
    <main id="main" className={css.screen}>
      <h1>Annotation queues</h1>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Empty>Loading…</Empty>}
      {data?.length === 0 && (
        <Empty>
          No annotation queues yet. client.create_annotation_queue of the Python SDK makes one.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <div className={css.scroll} role="region" aria-label="Annotation queues" tabIndex={0}>
          <table className={css.table}>
            <thead>
              <tr>
                {['Queue', 'About', 'Finished', 'Created'].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.map(({ queue, stats }) => (
                <tr key={queue.id}>
                  <th scope="row">
                    <Link
                      to="/$entity/$project/weave/annotations/$queueId"
                      params={{ entity, project, queueId: queue.id }}
                    >
                      {queue.name}
                    </Link>
                  </th>
                  <td className={css.wide}>{queue.description}</td>
                  <td>
                    {formatCount(stats?.completed_items ?? 0)} of{' '}
                    {formatCount(stats?.total_items ?? 0)}
                  </td>
                  <td>{formatAge(queue.created_at, now)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </main>
  );
}
