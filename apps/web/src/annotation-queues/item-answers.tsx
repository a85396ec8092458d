import { useState, type FormEvent } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { fieldOf, type AnnotationField, type AnnotationValue } from '../call/annotation-spec.js';
import { feedbackKey, useFeedback } from '../call/use-call.js';
import { useSession } from '../shell/session-context.js';
import { useKeys } from '../ui/keys.js';
import { Problem } from '../ui/parts.js';
import css from '../ui/board.module.css';
import { saveAnswer, specsQuery, type QueueItem, type QueueSpec } from './queues-api.js';

interface ItemAnswersProps {
  readonly projectId: string;
  readonly queueId: string;
  readonly item: QueueItem;
  readonly refs: readonly string[];
  readonly isWriter: boolean;
}

interface Question {
  readonly spec: QueueSpec;
  readonly field: AnnotationField;
  /** The own answer. */
  readonly given: { readonly id: string; readonly value: AnnotationValue } | undefined;
}

/** The questions of a queue about one call. A digit answers the first open one, or the last one again. */
export function ItemAnswers({ projectId, queueId, item, refs, isWriter }: ItemAnswersProps) {
  const { user } = useSession();
  const specs = useQuery(specsQuery(projectId, refs));
  const feedback = useFeedback(projectId, item.call_id);
  const queries = useQueryClient();
  const { mutate, error } = useMutation({
    mutationFn: ({ spec, value, given }: Omit<Question, 'field'> & { value: AnnotationValue }) =>
      saveAnswer(projectId, {
        callId: item.call_id,
        queueId,
        spec,
        value,
        earlier: given?.id,
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: feedbackKey(projectId, item.call_id) }),
  });
  const questions = (specs.data ?? []).flatMap((spec): Question[] => {
    const field = fieldOf(spec.spec.field_schema);
    const own = feedback.data?.find(
      (one) => one.feedback_type === `wandb.annotation.${spec.name}` && one.wb_user_id === user,
    );
    const given = own && { id: own.id, value: own.payload['value'] as AnnotationValue };
    return field === undefined ? [] : [{ spec, field, given }];
  });
  const chosen = questions.filter(({ field }) => choicesOf(field).length > 0);
  const active = chosen.find(({ given }) => given === undefined) ?? chosen.at(-1);
  const answer = (question: Question, value: AnnotationValue) => {
    if (isWriter) mutate({ ...question, value });
  };
  const press = (digit: number) => {
    const choice = active && choicesOf(active.field)[digit - 1];
    if (active !== undefined && choice !== undefined) answer(active, choice.value);
  };
  useKeys(
    Object.fromEntries(
      Array.from({ length: 9 }, (_, i) => [String(i + 1), () => press(i + 1)] as const),
    ),
  );
  const failed = specs.error ?? feedback.error ?? error;
  return (
    <>
      {failed !== null && <Problem error={failed} />}
      {!isWriter && <p className={css.muted}>This key may read annotations, not give them.</p>}
      {refs.length === 0 && <p className={css.muted}>This queue has no questions.</p>}
      {questions.map((question) => (
        <div
          key={question.spec.ref}
          role="group"
          aria-label={labelOf(question.spec)}
          className={css.section}
        >
          <strong>
            {labelOf(question.spec)} {question === active && <span>(digits answer this)</span>}
          </strong>
          {question.spec.spec.description && (
            <span className={css.muted}>{question.spec.spec.description}</span>
          )}
          <Answer
            key={String(question.given?.value)}
            question={question}
            isWriter={isWriter}
            onValue={(value) => answer(question, value)}
          />
        </div>
      ))}
    </>
  );
}

const labelOf = ({ spec, name }: QueueSpec) => spec.name ?? name;

interface Choice {
  readonly value: AnnotationValue;
  readonly label: string;
}

function choicesOf(field: AnnotationField): readonly Choice[] {
  if (field.kind === 'choice')
    return field.choices.map((value) => ({ value, label: String(value) }));
  if (field.kind !== 'flag') return [];
  return [
    { value: true, label: 'Yes' },
    { value: false, label: 'No' },
  ];
}

interface AnswerProps {
  readonly question: Question;
  readonly isWriter: boolean;
  readonly onValue: (value: AnnotationValue) => void;
}

function Answer({ question: { field, given, spec }, isWriter, onValue }: AnswerProps) {
  const [text, setText] = useState(given === undefined ? '' : String(given.value));
  const choices = choicesOf(field);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') onValue(field.kind === 'number' ? Number(text) : text);
  };
  if (choices.length > 0) {
    return (
      <div className={css.actions}>
        {choices.map(({ value, label }, i) => (
          <button
            key={label}
            type="button"
            disabled={!isWriter}
            aria-pressed={value === given?.value}
            aria-keyshortcuts={i < 9 ? String(i + 1) : undefined}
            onClick={() => onValue(value)}
          >
            {label}
          </button>
        ))}
      </div>
    );
  }
  return (
    <form className={css.actions} onSubmit={save}>
      <input
        aria-label={labelOf(spec)}
        type={field.kind === 'number' ? 'number' : 'text'}
        step="any"
        value={text}
        disabled={!isWriter}
        onChange={({ target }) => setText(target.value)}
      />
      <button type="submit" disabled={!isWriter || text.trim() === ''}>
        Save
      </button>
    </form>
  );
}
