import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Feedback } from '../api/types.js';
import { mayWrite } from '../login/session.js';
import { useSession } from '../shell/session-context.js';
import { createFeedback, feedbackKey, removeFeedback, useFeedback } from './use-call.js';

export const REACTION = 'wandb.reaction.1';
export const NOTE = 'wandb.note.1';

type Given = Pick<Feedback, 'feedback_type' | 'payload'> & {
  readonly annotation_ref?: string;
};

/** Adds, removes, or replaces: the new one is stored before the earlier one is removed. */
interface Change {
  readonly add?: Given | undefined;
  readonly remove?: Feedback | undefined;
}

export interface CallFeedback {
  readonly entries: readonly Feedback[];
  /** False until the entries have arrived. */
  readonly isLoaded: boolean;
  readonly user: string;
  readonly isWriter: boolean;
  /** Why reading failed, or why the server refused the last change. */
  readonly error: Error | null;
  readonly own: (emoji: string) => Feedback | undefined;
  /** Gives the reaction, or takes it back. */
  readonly react: (emoji: string) => void;
  readonly change: (change: Change) => void;
  /** Undefined when there is nothing to undo. */
  readonly undo: { readonly text: string; readonly run: () => void } | undefined;
}

/** The feedback of a call. A change is shown at once, can be undone, and is taken back when the server refuses it. */
export function useCallFeedback(projectId: string, callId: string, isRead: boolean): CallFeedback {
  const { user, role } = useSession();
  const { data, error } = useFeedback(projectId, callId, isRead);
  const entries = data ?? [];
  const { mutate, error: refusal } = useChange(projectId, callId, user);
  const [last, setLast] = useState<Undo | undefined>();
  const change = ({ add, remove }: Change): void => {
    // The id is made here, so that sending the same feedback again adds no second one.
    const id = newId();
    setLast({ text: add === undefined ? 'Removed.' : 'Saved.', change: { add: remove }, id, add });
    mutate({ add, remove, id });
  };
  const own = (emoji: string) =>
    entries.find(
      (one) =>
        one.feedback_type === REACTION && one.payload['emoji'] === emoji && one.wb_user_id === user,
    );
  const undo = last && {
    text: last.text,
    run: () => {
      const { add, id } = last;
      const remove =
        add === undefined ? undefined : { ...add, id, created_at: '', wb_user_id: user };
      mutate({ add: givenOf(last.change.add), remove, id: newId() });
      setLast(undefined);
    },
  };
  const react = (emoji: string) => {
    const given = own(emoji);
    if (given) change({ remove: given });
    else change({ add: { feedback_type: REACTION, payload: { emoji } } });
  };
  return {
    entries,
    isLoaded: data !== undefined,
    user,
    isWriter: mayWrite(role),
    error: error ?? refusal,
    own,
    react,
    change,
    undo,
  };
}

interface Undo {
  readonly text: string;
  /** What was removed and comes back. */
  readonly change: { readonly add: Feedback | undefined };
  /** What was added under this id and goes. */
  readonly add: Given | undefined;
  readonly id: string;
}

/** Without the members that the server gives. */
const givenOf = (feedback: Feedback | undefined): Given | undefined =>
  feedback && {
    feedback_type: feedback.feedback_type,
    payload: feedback.payload,
    ...(feedback.annotation_ref && { annotation_ref: feedback.annotation_ref }),
  };

function useChange(projectId: string, callId: string, user: string) {
  const queries = useQueryClient();
  const queryKey = feedbackKey(projectId, callId);
  return useMutation({
    mutationFn: async ({ add, remove, id }: Change & { readonly id: string }) => {
      if (add !== undefined) await createFeedback(projectId, callId, { id, ...add });
      if (remove !== undefined) await removeFeedback(projectId, remove.id);
    },
    onMutate: async ({ add, remove, id }) => {
      // An earlier read must not replace what is shown now.
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData<readonly Feedback[]>(queryKey) ?? [];
      const kept = before.filter((one) => one.id !== remove?.id);
      const added = add && {
        id,
        ...add,
        created_at: new Date().toISOString(),
        wb_user_id: user,
      };
      queries.setQueryData(queryKey, added === undefined ? kept : [...kept, added]);
      return { before };
    },
    onError: (_error, _change, context) => queries.setQueryData(queryKey, context?.before),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
}

/** `crypto.randomUUID` exists only on secure origins; a page of plain http on another machine has none. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
