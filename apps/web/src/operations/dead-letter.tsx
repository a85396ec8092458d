import { useId, useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { formatBytes } from '../format.js';
import { useKeys } from '../ui/keys.js';
import { CopyButton, Empty, Problem } from '../ui/parts.js';
import {
  checkDeadLetter,
  deadLetterQuery,
  dropDeadLetter,
  readContent,
  refreshDeadLetters,
  replayDeadLetter,
  type DeadLetter,
  type DeadLetterWithItem,
} from './dead-letters-api.js';
import { indentJson } from './indent-json.js';
import { saveFile } from '../ui/save-file.js';
import css from './operations.module.css';

/** One dead letter: where it came from, why it is one, and its bytes to correct, check and replay. */
export function DeadLetterPanel({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery(deadLetterQuery(id));
  const actions = useActions(id);
  const { message } = actions;
  const navigate = useNavigate({ from: '/-/operations' });
  const close = () => void navigate({ search: ({ id: _, ...rest }) => rest });
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

interface ItemProps {
  readonly deadLetter: DeadLetterWithItem;
  readonly actions: ReturnType<typeof useActions>;
}

function Item({ deadLetter, actions }: ItemProps) {
  const id = useId();
  const { is_whole, state, bytes } = deadLetter;
  const original = is_whole ? indentJson(deadLetter.item) : deadLetter.item;
  const [text, setText] = useState(original);
  const { check, replay, drop, isBusy } = actions;
  const corrected = text === original ? undefined : text;
  const isEditable = is_whole && state !== 'replayed';
  const save = async () =>
    saveFile(`dead-letter-${deadLetter.id}.json`, await readContent(deadLetter.id));
  return (
    <>
      <label htmlFor={id}>
        Item{is_whole ? '' : `, the first 200 kB of ${formatBytes(bytes)}`}
      </label>
      <textarea
        id={id}
        className={css.item}
        rows={18}
        spellCheck={false}
        readOnly={!isEditable}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) check(corrected);
        }}
      />
      {!is_whole && (
        <p className={css.muted}>
          An item of this size is corrected in a file: download it, and give it to the command
          dead-letters replay.
        </p>
      )}
      <div className={css.actions}>
        {state !== 'replayed' && (
          <>
            <button
              type="button"
              disabled={isBusy}
              aria-keyshortcuts="Control+Enter Meta+Enter"
              onClick={() => check(corrected)}
            >
              Check
            </button>
            <button type="button" disabled={isBusy} onClick={() => replay(corrected)}>
              {corrected === undefined ? 'Replay' : 'Replay corrected'}
            </button>
          </>
        )}
        {state === 'open' && (
          <button type="button" disabled={isBusy} onClick={drop}>
            Drop
          </button>
        )}
        {corrected !== undefined && (
          <button type="button" onClick={() => setText(original)}>
            Undo changes
          </button>
        )}
        <button type="button" onClick={() => void save()}>
          Download
        </button>
      </div>
    </>
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
    check: (item?: string) =>
      mutate(async () => {
        const { is_accepted, reason } = await checkDeadLetter(id, item);
        return is_accepted
          ? { text: 'It would be stored now.', isGood: true }
          : { text: `It would not be stored: ${reason}`, isGood: false };
      }),
    replay: (item?: string) =>
      mutate(async () => {
        const { outcome, reason } = await replayDeadLetter(id, item);
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
