import { useState, type FormEvent } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { fieldOf, type AnnotationField, type AnnotationValue } from '../call/annotation-spec.js';
import { feedbackKey, useFeedback } from '../call/use-call.js';
import { useSession } from '../shell/session-context.js';
import { useKeys } from '../ui/keys.js';
import { Problem } from '../ui/parts.js';
import css from '../ui/board.module.css';
import { saveValue, specsQuery, type QueueItem, type QueueSpec } from './queues-api.js';

interface ItemValuesProps {
  readonly projectId: string;
  readonly queueId: string;
  readonly item: QueueItem;
  readonly refs: readonly string[];
  readonly isWriter: boolean;
}

interface SpecEntry {
  readonly spec: QueueSpec;
  readonly field: AnnotationField;
  /** The own value. */
  readonly given: { readonly id: string; readonly value: AnnotationValue } | undefined;
}

/** The specs of a queue with their values for one call. A digit sets the first one without a value, or the last one again. */
export function ItemValues({ projectId, queueId, item, refs, isWriter }: ItemValuesProps) {
  const { user } = useSession();
  const specs = useQuery(specsQuery(projectId, refs));
  const feedback = useFeedback(projectId, item.call_id, true);
  const queries = useQueryClient();
  const { mutate, error } = useMutation({
    mutationFn: ({ spec, value, given }: Omit<SpecEntry, 'field'> & { value: AnnotationValue }) =>
      saveValue(projectId, {
        callId: item.call_id,
        queueId,
        spec,
        value,
        earlier: given?.id,
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: feedbackKey(projectId, item.call_id) }),
  });
  const entries = (specs.data ?? []).flatMap((spec): SpecEntry[] => {
    const field = fieldOf(spec.spec.field_schema);
    const own = feedback.data?.find(
      (one) => one.feedback_type === `wandb.annotation.${spec.name}` && one.wb_user_id === user,
    );
    const given = own && { id: own.id, value: own.payload['value'] as AnnotationValue };
    return field === undefined ? [] : [{ spec, field, given }];
  });
  const chosen = entries.filter(({ field }) => choicesOf(field).length > 0);
  const active = chosen.find(({ given }) => given === undefined) ?? chosen.at(-1);
  const setValue = (entry: SpecEntry, value: AnnotationValue) => {
    if (isWriter) mutate({ ...entry, value });
  };
  const press = (digit: number) => {
    const choice = active && choicesOf(active.field)[digit - 1];
    if (active !== undefined && choice !== undefined) setValue(active, choice.value);
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
      {refs.length === 0 && <p className={css.muted}>This queue has no annotation specs.</p>}
      {entries.map((entry) => (
        <div
          key={entry.spec.ref}
          role="group"
          aria-label={labelOf(entry.spec)}
          className={css.section}
        >
          <strong>
            {labelOf(entry.spec)} {entry === active && <span>(digits choose here)</span>}
          </strong>
          {entry.spec.spec.description && (
            <span className={css.muted}>{entry.spec.spec.description}</span>
          )}
          <ValueField
            key={String(entry.given?.value)}
            entry={entry}
            isWriter={isWriter}
            onValue={(value) => setValue(entry, value)}
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

interface ValueFieldProps {
  readonly entry: SpecEntry;
  readonly isWriter: boolean;
  readonly onValue: (value: AnnotationValue) => void;
}

function ValueField({ entry: { field, given, spec }, isWriter, onValue }: ValueFieldProps) {
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
