import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { formatAge, formatCount } from '../format.js';
import { mayWrite } from '../login/session.js';
import { useSession } from '../shell/session-context.js';
import { Empty, Problem, useNow, useTitle } from '../ui/parts.js';
import css from '../ui/board.module.css';
import { createQueue, refreshQueue, type QueueRequest } from './queue-changes.js';
import { QueueForm } from './queue-form.js';
import { queuesQuery } from './queues-api.js';

/** The annotation queues of a project with their progress. */
export function AnnotationQueues() {
  const { entity = '', project = '' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  useTitle(`Annotation queues of ${projectId}`);
  const now = useNow(60_000);
  const { role } = useSession();
  const { data, error, refetch } = useQuery(queuesQuery(projectId));
  return (
    <main id="main" className={css.screen}>
      <h1>Annotation queues</h1>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Empty>Loading…</Empty>}
      {data?.length === 0 && (
        <Empty>No annotation queues yet. Create one here, or with the Python SDK.</Empty>
      )}
      {mayWrite(role) && <CreateQueue projectId={projectId} />}
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

/** A new queue is shown at once, so that calls can be added. */
function CreateQueue({ projectId }: { readonly projectId: string }) {
  const [entity = '', project = ''] = projectId.split('/');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (request: QueueRequest) => createQueue(projectId, request),
    onSuccess: async ({ id }) => {
      await refreshQueue(queries, projectId, id);
      const to = '/$entity/$project/weave/annotations/$queueId';
      await navigate({ to, params: { entity, project, queueId: id } });
    },
  });
  return (
    <details>
      <summary>Create a queue</summary>
      <QueueForm projectId={projectId} isBusy={isPending} onSubmit={mutate} />
      {error !== null && <Problem error={error} />}
    </details>
  );
}
