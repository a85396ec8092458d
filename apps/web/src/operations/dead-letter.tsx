import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { formatBytes } from '../format.js';
import { useKeys } from '../ui/keys.js';
import { CopyButton, Empty, Problem } from '../ui/parts.js';
import {
  checkDeadLetter,
  deadLetterQuery,
  dropDeadLetter,
  refreshDeadLetters,
  replayDeadLetter,
  type Correction,
  type DeadLetter,
} from './dead-letters-api.js';
import { WholeItem } from './dead-letter-item.js';
import { LargeItem } from './large-item.js';
import css from './operations.module.css';

/** One dead letter: where it came from, why it is one, and its bytes to correct, check and replay. */
export function DeadLetterPanel({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery(deadLetterQuery(id));
  const actions = useActions(id);
  const { message } = actions;
  const Item = data?.is_whole === false ? LargeItem : WholeItem;
  const navigate = useNavigate({ from: '/-/operations' });
  const close = () => void navigate({ search: ({ id: _, part: __, ...rest }) => rest });
  useKeys({ Escape: close });
  return (
    <section aria-label="Dead letter" className={css.panel}>
      <div className={css.head}>
        <h2>
          Dead letter <code>{id.slice(0, 12)}</code>
        </h2>
        <CopyButton text={() => location.href} label="Copy link" />
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      {error !== null ? (
        <Problem error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Empty>Loading…</Empty>
      ) : (
        <>
          <About deadLetter={data} />
          <Item key={data.state} deadLetter={data} actions={actions} />
          <p role="status" className={message?.isGood ? css.good : css.bad}>
            {message?.text}
          </p>
          {actions.error !== null && <Problem error={actions.error} />}
        </>
      )}
    </section>
  );
}

function About({ deadLetter }: { readonly deadLetter: DeadLetter }) {
  const { reason, project_id, call_id, kind, user, received_at, state, bytes } = deadLetter;
  const [entity, project] = project_id.split('/');
  return (
    <dl className={css.about}>
      <dt>Reason</dt>
      <dd className={css.reason}>{reason}</dd>
      <dt>State</dt>
      <dd>{state}</dd>
      <dt>Kind</dt>
      <dd>{kind}</dd>
      <dt>Project</dt>
      <dd>
        {entity && project ? (
          <Link to="/$entity/$project/weave/traces" params={{ entity, project }}>
            {project_id}
          </Link>
        ) : (
          'none'
        )}
      </dd>
      <dt>Call</dt>
      <dd>
        {entity && project && call_id ? (
          <Link
            to="/$entity/$project/weave/calls/$callId"
            params={{ entity, project, callId: call_id }}
          >
            {call_id}
          </Link>
        ) : (
          call_id || 'none'
        )}
      </dd>
      <dt>User</dt>
      <dd>{user}</dd>
      <dt>Received</dt>
      <dd>{received_at}</dd>
      <dt>Size</dt>
      <dd>{formatBytes(bytes)}</dd>
    </dl>
  );
}

interface Message {
  readonly text: string;
  readonly isGood: boolean;
}

function useActions(id: string) {
  const queries = useQueryClient();
  const [message, setMessage] = useState<Message | undefined>();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (act: () => Promise<Message>) => act(),
    onMutate: () => setMessage(undefined),
    onSuccess: setMessage,
  });
  const changed = async (shown: Message): Promise<Message> => {
    await refreshDeadLetters(queries);
    return shown;
  };
  return {
    message,
    error,
    isBusy: isPending,
    check: (correction?: Correction) =>
      mutate(async () => {
        const { is_accepted, reason } = await checkDeadLetter(id, correction);
        return is_accepted
          ? { text: 'It would be stored now.', isGood: true }
          : { text: `It would not be stored: ${reason}`, isGood: false };
      }),
    replay: (correction?: Correction) =>
      mutate(async () => {
        const { outcome, reason } = await replayDeadLetter(id, correction);
        if (outcome !== 'replayed') return { text: `Not replayed: ${reason}`, isGood: false };
        return changed({ text: 'Replayed.', isGood: true });
      }),
    drop: () =>
      mutate(async () => {
        await dropDeadLetter(id);
        return changed({ text: 'Dropped.', isGood: true });
      }),
  };
}
