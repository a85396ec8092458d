import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { formatCount, opLabel } from '../format.js';
import { mayWrite } from '../login/session.js';
import { useSession } from '../shell/session-context.js';
import { useKeys } from '../ui/keys.js';
import { Empty, Problem, useTitle } from '../ui/parts.js';
import { useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import { ItemValues } from './item-values.js';
import { QueueSettings } from './queue-settings.js';
import { ItemPayload } from './item-payload.js';
import {
  itemsKey,
  itemsQuery,
  ITEMS_MAX,
  queueQuery,
  setProgress,
  type QueueItem,
} from './queues-api.js';

const isOpen = ({ annotation_state }: QueueItem) =>
  annotation_state === 'unstarted' || annotation_state === 'in_progress';

/** One item of a queue at a time, without a mouse: digits choose a value, c completes, s skips, j and k move. */
export function AnnotationQueue() {
  const { entity = '', project = '', queueId = '' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  const { role } = useSession();
  const isWriter = mayWrite(role);
  const [{ item: wanted }, change] = useAddress();
  const queue = useQuery(queueQuery(projectId, queueId));
  const items = useQuery(itemsQuery(projectId, queueId));
  useTitle(queue.data?.queue.name ?? 'Annotation queue');
  const list = items.data ?? [];
  const current = list.find(({ id }) => id === wanted) ?? list.find(isOpen) ?? list[0];
  const at = current === undefined ? -1 : list.indexOf(current);
  const go = (step: number) => {
    const next = list[at + step];
    if (next !== undefined) change({ item: next.id });
  };
  const { finish, error: refusal } = useFinish(projectId, queueId, (done) => {
    const next = [...list.slice(at + 1), ...list.slice(0, at)].find(
      (one) => one.id !== done && isOpen(one),
    );
    change({ item: next?.id ?? done });
  });
  const end = (state: 'completed' | 'skipped') => {
    if (current !== undefined && isWriter) finish({ id: current.id, state });
  };
  useKeys({
    j: () => go(1),
    k: () => go(-1),
    c: () => end('completed'),
    s: () => end('skipped'),
  });
  const error = queue.error ?? items.error;
  const open = list.filter(isOpen).length;
  return (
    <main id="main" className={css.screen}>
      <div className={css.head}>
        <h1>{queue.data?.queue.name ?? 'Annotation queue'}</h1>
        <Link to="/$entity/$project/weave/annotations" params={{ entity, project }}>
          All queues
        </Link>
        {items.data !== undefined && (
          <span role="status">
            {formatCount(open)} of {formatCount(list.length)} items left
          </span>
        )}
      </div>
      {queue.data?.queue.description && <p>{queue.data.queue.description}</p>}
      {queue.data !== undefined && isWriter && (
        <QueueSettings key={queue.data.queue.id} projectId={projectId} queue={queue.data.queue} />
      )}
      <p className={css.muted}>
        <kbd>1</kbd> to <kbd>9</kbd> choose a value, <kbd>c</kbd> completes, <kbd>s</kbd> skips,{' '}
        <kbd>j</kbd> <kbd>k</kbd> next and previous.
      </p>
      {(error ?? refusal) !== null && <Problem error={error ?? refusal} />}
      {items.data?.length === ITEMS_MAX && (
        <p className={css.notice}>Only the first {formatCount(ITEMS_MAX)} items are shown.</p>
      )}
      {items.data !== undefined && current === undefined && <Empty>This queue is empty.</Empty>}
      {items.data !== undefined && open === 0 && list.length > 0 && (
        <p role="status">Everything in this queue is finished.</p>
      )}
      {current !== undefined && queue.data !== undefined && (
        <section className={css.panel} aria-label="Item">
          <div className={css.actions}>
            <strong>
              {current.position_in_queue ?? at + 1}. {opLabel(current.call_op_name)}
            </strong>
            <span>{stateText(current)}</span>
            <Link
              to="/$entity/$project/r/call/$callId"
              params={{ entity, project, callId: current.call_id }}
            >
              Trace
            </Link>
            <button type="button" disabled={at <= 0} onClick={() => go(-1)}>
              Previous
            </button>
            <button type="button" disabled={at >= list.length - 1} onClick={() => go(1)}>
              Next
            </button>
            {isWriter && (
              <>
                <button type="button" onClick={() => end('completed')}>
                  Complete
                </button>
                <button type="button" onClick={() => end('skipped')}>
                  Skip
                </button>
              </>
            )}
          </div>
          <ItemPayload key={`${current.id} payload`} projectId={projectId} item={current} />
          <ItemValues
            key={current.id}
            projectId={projectId}
            queueId={queueId}
            item={current}
            refs={queue.data.queue.scorer_refs}
            isWriter={isWriter}
          />
        </section>
      )}
    </main>
  );
}

const STATES: Readonly<Record<QueueItem['annotation_state'], string>> = {
  unstarted: 'open',
  in_progress: 'in progress',
  completed: 'completed',
  skipped: 'skipped',
};

const stateText = ({ annotation_state, annotator_user_id }: QueueItem) =>
  annotator_user_id === null
    ? STATES[annotation_state]
    : `${STATES[annotation_state]}, ${annotator_user_id}`;

interface Finish {
  readonly id: string;
  readonly state: 'completed' | 'skipped';
}

/** Finishes an item and shows the next one. An item of another annotator stays as it is, with the sentence of the server. */
function useFinish(projectId: string, queueId: string, onDone: (id: string) => void) {
  const queries = useQueryClient();
  const { mutate, error } = useMutation({
    mutationFn: ({ id, state }: Finish) => setProgress(projectId, queueId, id, state),
    onSuccess: (changed) => {
      queries.setQueryData<readonly QueueItem[]>(itemsKey(projectId, queueId), (before) =>
        before?.map((one) =>
          one.id === changed.id ? { ...changed, position_in_queue: one.position_in_queue } : one,
        ),
      );
      onDone(changed.id);
    },
  });
  return { finish: mutate, error };
}
