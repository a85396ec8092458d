import { useId, useRef, useState, type FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Feedback } from '../api/types.js';
import { formatAge } from '../format.js';
import { mayWrite } from '../login/session.js';
import { useSession } from '../shell/session-context.js';
import { useKeys } from '../ui/keys.js';
import { Problem, useNow } from '../ui/parts.js';
import { ANNOTATION, Annotations } from './annotations.js';
import { createFeedback, feedbackKey, removeFeedback, useFeedback } from './use-call.js';
import css from './feedback-tab.module.css';

const REACTION = 'wandb.reaction.1';
const NOTE = 'wandb.note.1';
const THUMBS = [
  { emoji: '👍', label: 'Thumbs up', key: '+' },
  { emoji: '👎', label: 'Thumbs down', key: '-' },
] as const;

interface FeedbackTabProps {
  readonly opName: string;
  readonly projectId: string;
  readonly callId: string;
}

/** Reactions and notes. A change is shown at once and taken back when the server refuses it. */
export function FeedbackTab({ projectId, callId, opName }: FeedbackTabProps) {
  const id = useId();
  const { user, role } = useSession();
  const { data = [], error } = useFeedback(projectId, callId);
  const { change, undo, error: refusal } = useChangeFeedback(projectId, callId, user);
  const [note, setNote] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const isWriter = mayWrite(role);

  const own = (emoji: string) =>
    data.find((one) => isReaction(one, emoji) && one.wb_user_id === user);
  const react = (emoji: string) => {
    const given = own(emoji);
    if (given) change({ remove: given.id });
    else change({ add: { feedback_type: REACTION, payload: { emoji } } });
  };
  const addNote = (event: FormEvent) => {
    event.preventDefault();
    if (note.trim() === '') return;
    change({ add: { feedback_type: NOTE, payload: { note: note.trim() } } });
    setNote('');
  };
  useKeys(
    isWriter
      ? {
          '+': () => react(THUMBS[0].emoji),
          '-': () => react(THUMBS[1].emoji),
          m: () => field.current?.focus(),
        }
      : {},
  );

  return (
    <div className={css.feedback}>
      {isWriter && (
        <div className={css.thumbs}>
          {THUMBS.map(({ emoji, label }) => (
            <span key={emoji}>
              <button
                type="button"
                aria-label={label}
                aria-pressed={own(emoji) !== undefined}
                onClick={() => react(emoji)}
              >
                {emoji}
              </button>{' '}
              {data.filter((one) => isReaction(one, emoji)).length || ''}
            </span>
          ))}
        </div>
      )}
      {(error ?? refusal) !== null && <Problem error={error ?? refusal} />}
      {undo !== undefined && (
        <p role="status" className={css.undo}>
          {undo.text}
          <button type="button" onClick={undo.run}>
            Undo
          </button>
        </p>
      )}
      {isWriter && (
        <>
          <Reactions react={react} own={own} />
          <Annotations
            projectId={projectId}
            opName={opName}
            user={user}
            feedback={data}
            onAnnotate={(annotation, earlier) => {
              if (earlier !== undefined) change({ remove: earlier.id });
              change({ add: annotation });
            }}
          />
        </>
      )}
      <Entries
        entries={data}
        user={user}
        isWriter={isWriter}
        onRemove={(remove) => change({ remove })}
      />
      {isWriter ? (
        <form onSubmit={addNote} className={css.form}>
          <label htmlFor={id}>Note</label>
          <textarea
            ref={field}
            id={id}
            rows={2}
            value={note}
            onChange={(event) => setNote(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) addNote(event);
              if (event.key === 'Escape') event.currentTarget.blur();
            }}
          />
          <button type="submit" disabled={note.trim() === ''}>
            Add note
          </button>
        </form>
      ) : (
        <p className={css.muted}>This key may read feedback, not give it.</p>
      )}
    </div>
  );
}

const EMOJI = ['🎉', '🤔', '🐛', '🚀', '👀', '❤️'];

interface ReactionsProps {
  readonly react: (emoji: string) => void;
  readonly own: (emoji: string) => Feedback | undefined;
}

function Reactions({ react, own }: ReactionsProps) {
  return (
    <div role="group" aria-label="Reactions" className={css.choices}>
      {EMOJI.map((emoji) => (
        <button
          key={emoji}
          type="button"
          aria-label={`React with ${emoji}`}
          aria-pressed={own(emoji) !== undefined}
          onClick={() => react(emoji)}
        >
          {emoji}
        </button>
      ))}
    </div>
  );
}

const isReaction = ({ feedback_type, payload }: Feedback, emoji: string): boolean =>
  feedback_type === REACTION && payload['emoji'] === emoji;

interface EntriesProps {
  readonly entries: readonly Feedback[];
  readonly user: string;
  readonly isWriter: boolean;
  readonly onRemove: (id: string) => void;
}

function Entries({ entries, user, isWriter, onRemove }: EntriesProps) {
  const now = useNow(30_000);
  if (entries.length === 0) return <p className={css.muted}>No feedback yet.</p>;
  return (
    <ul className={css.entries}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <span className={css.text}>{textOf(entry)}</span>
          <span className={css.muted}>
            {entry.wb_user_id}, {formatAge(entry.created_at, now)}
          </span>
          {isWriter && entry.wb_user_id === user && (
            <button type="button" onClick={() => onRemove(entry.id)}>
              Remove
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function textOf({ feedback_type, payload }: Feedback): string {
  if (feedback_type === REACTION) return String(payload['emoji']);
  if (feedback_type === NOTE) return String(payload['note']);
  if (feedback_type.startsWith(ANNOTATION)) {
    return `${feedback_type.slice(ANNOTATION.length)}: ${JSON.stringify(payload['value'])}`;
  }
  return `${feedback_type}: ${JSON.stringify(payload)}`;
}

type Added = Pick<Feedback, 'feedback_type' | 'payload'> & { readonly annotation_ref?: string };
type Change =
  | { readonly add: Added; readonly remove?: never }
  | { readonly remove: string; readonly add?: never };

function useChangeFeedback(projectId: string, callId: string, user: string) {
  const queries = useQueryClient();
  const queryKey = feedbackKey(projectId, callId);
  const [last, setLast] = useState<Undo | undefined>();
  const { mutate, error } = useMutation({
    mutationFn: ({ add, remove, id }: Change & { id: string }) =>
      add === undefined
        ? removeFeedback(projectId, remove)
        : createFeedback(projectId, callId, { id, ...add }),
    onMutate: ({ add, remove, id }) => {
      const before = queries.getQueryData<readonly Feedback[]>(queryKey) ?? [];
      const after =
        add === undefined
          ? before.filter((one) => one.id !== remove)
          : [...before, { id, ...add, created_at: new Date().toISOString(), wb_user_id: user }];
      queries.setQueryData(queryKey, after);
      return { before };
    },
    onError: (_error, _change, context) => queries.setQueryData(queryKey, context?.before),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  const change = (wanted: Change): void => {
    // The id is made here, so that sending the same feedback again adds no second one.
    const id = newId();
    const removed = queries
      .getQueryData<readonly Feedback[]>(queryKey)
      ?.find((one) => one.id === wanted.remove);
    setLast(undoOf(id, wanted, removed));
    mutate({ ...wanted, id });
  };
  const undo = last && {
    text: last.text,
    run: () => {
      mutate({ ...last.change, id: newId() });
      setLast(undefined);
    },
  };
  return { error, change, undo };
}

interface Undo {
  readonly text: string;
  readonly change: Change;
}

function undoOf(id: string, { add }: Change, removed: Feedback | undefined): Undo | undefined {
  if (add !== undefined) return { text: 'Saved.', change: { remove: id } };
  if (removed === undefined) return undefined;
  const { feedback_type, payload } = removed;
  return { text: 'Removed.', change: { add: { feedback_type, payload } } };
}

/** `crypto.randomUUID` exists only on secure origins; a page of plain http on another machine has none. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
