import { useEffect, useId, useRef, useState, type FormEvent } from 'react';
import type { Feedback } from '../api/types.js';
import { formatAge } from '../format.js';
import { Problem, useNow } from '../ui/parts.js';
import { ANNOTATION, Annotations } from './annotations.js';
import { NOTE, REACTION, type CallFeedback } from './use-feedback.js';
import css from './feedback-tab.module.css';

export const THUMBS_UP = '👍';
export const THUMBS_DOWN = '👎';
const THUMBS = [
  { emoji: THUMBS_UP, label: 'Thumbs up' },
  { emoji: THUMBS_DOWN, label: 'Thumbs down' },
] as const;

interface FeedbackTabProps {
  readonly opName: string;
  readonly projectId: string;
  readonly feedback: CallFeedback;
  /** Grows each time the user wants to write a note. */
  readonly noteWanted: number;
}

/** Reactions, annotations and notes. */
export function FeedbackTab({ projectId, opName, feedback, noteWanted }: FeedbackTabProps) {
  const { entries, isLoaded, user, isWriter, own, react, change, error } = feedback;
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
              {entries.filter((one) => isReaction(one, emoji)).length || ''}
            </span>
          ))}
        </div>
      )}
      {error !== null && <Problem error={error} />}
      {isWriter && (
        <>
          <Reactions react={react} own={own} />
          <Annotations
            projectId={projectId}
            opName={opName}
            user={user}
            feedback={entries}
            onAnnotate={(add, remove) => change({ add, remove })}
          />
        </>
      )}
      {isLoaded && (
        <Entries
          entries={entries}
          user={user}
          isWriter={isWriter}
          onRemove={(remove) => change({ remove })}
        />
      )}
      {isWriter ? (
        <NoteForm
          noteWanted={noteWanted}
          onNote={(note) => change({ add: { feedback_type: NOTE, payload: { note } } })}
        />
      ) : (
        <p className={css.muted}>This key may read feedback, not give it.</p>
      )}
    </div>
  );
}

interface NoteFormProps {
  readonly noteWanted: number;
  readonly onNote: (note: string) => void;
}

function NoteForm({ noteWanted, onNote }: NoteFormProps) {
  const id = useId();
  const [note, setNote] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (noteWanted > 0) field.current?.focus();
  }, [noteWanted]);
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (note.trim() === '') return;
    onNote(note.trim());
    setNote('');
  };
  return (
    <form onSubmit={add} className={css.form}>
      <label htmlFor={id}>Note</label>
      <textarea
        ref={field}
        id={id}
        rows={2}
        value={note}
        onChange={(event) => setNote(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) add(event);
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <button type="submit" disabled={note.trim() === ''}>
        Add note
      </button>
    </form>
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
  readonly onRemove: (entry: Feedback) => void;
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
            <button type="button" onClick={() => onRemove(entry)}>
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
