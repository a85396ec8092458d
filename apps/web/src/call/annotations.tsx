import { useId, useState, type FormEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { post } from '../api/client.js';
import type { Feedback } from '../api/types.js';
import {
  fieldOf,
  isAbout,
  type AnnotationField,
  type AnnotationSpec,
  type AnnotationValue,
} from './annotation-spec.js';
import css from './feedback-tab.module.css';

interface StoredSpec {
  readonly object_id: string;
  readonly digest: string;
  readonly val: AnnotationSpec;
}

const SPECS_MAX = 100;
export const ANNOTATION = 'wandb.annotation.';

/** The latest version of each annotation spec of the project. */
export function useSpecs(projectId: string) {
  return useQuery({
    queryKey: ['annotation specs', projectId],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const filter = { base_object_classes: ['AnnotationSpec'], latest_only: true, is_op: false };
      const body = { project_id: projectId, filter, limit: SPECS_MAX };
      const { objs } = await post<{ objs: readonly StoredSpec[] }>('/objs/query', body, signal);
      return objs;
    },
  });
}

interface Annotation {
  readonly feedback_type: string;
  readonly payload: { readonly value: AnnotationValue };
  readonly annotation_ref: string;
}

interface AnnotationsProps {
  readonly projectId: string;
  readonly opName: string;
  readonly user: string;
  readonly feedback: readonly Feedback[];
  readonly onAnnotate: (annotation: Annotation, earlier: Feedback | undefined) => void;
}

/** A field for each annotation spec of the project. The own value of a spec replaces the earlier one. */
export function Annotations({ projectId, opName, user, feedback, onAnnotate }: AnnotationsProps) {
  const { data: specs = [] } = useSpecs(projectId);
  const shown = specs.flatMap((spec) => {
    const field = fieldOf(spec.val.field_schema);
    return field !== undefined && isAbout(spec.val, opName) ? [{ spec, field }] : [];
  });
  if (shown.length === 0) return null;
  return (
    <section aria-label="Annotations" className={css.annotations}>
      {shown.map(({ spec: { object_id, digest, val }, field }) => {
        const feedback_type = ANNOTATION + object_id;
        const own = feedback.find(
          (one) => one.feedback_type === feedback_type && one.wb_user_id === user,
        );
        const value = own?.payload['value'] as AnnotationValue | undefined;
        const annotation_ref = `weave:///${projectId}/object/${object_id}:${digest}`;
        return (
          <Field
            key={`${object_id} ${String(value)}`}
            label={val.name ?? object_id}
            about={val.description ?? ''}
            field={field}
            value={value}
            onValue={(given) =>
              onAnnotate({ feedback_type, payload: { value: given }, annotation_ref }, own)
            }
          />
        );
      })}
    </section>
  );
}

interface FieldProps {
  readonly label: string;
  readonly about: string;
  readonly field: AnnotationField;
  readonly value: AnnotationValue | undefined;
  readonly onValue: (value: AnnotationValue) => void;
}

function Field(props: FieldProps) {
  const { label, about, field } = props;
  const choices: readonly (readonly [AnnotationValue, string])[] | undefined =
    field.kind === 'flag'
      ? [
          [true, 'Yes'],
          [false, 'No'],
        ]
      : field.kind === 'choice'
        ? field.choices.map((one) => [one, String(one)])
        : undefined;
  return (
    <div role="group" aria-label={label} className={css.annotation}>
      <strong>{label}</strong> {about !== '' && <span className={css.muted}>{about}</span>}
      {choices === undefined ? (
        <Typed {...props} />
      ) : (
        <div className={css.choices}>
          {choices.map(([value, word]) => (
            <button
              key={word}
              type="button"
              aria-pressed={value === props.value}
              onClick={() => props.onValue(value)}
            >
              {word}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function Typed({ label, field, value, onValue }: FieldProps) {
  const id = useId();
  const [text, setText] = useState(value === undefined ? '' : String(value));
  const isNumber = field.kind === 'number';
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') onValue(isNumber ? Number(text) : text);
  };
  return (
    <form onSubmit={save} className={css.choices}>
      <input
        id={id}
        aria-label={label}
        type={isNumber ? 'number' : 'text'}
        {...(field.kind === 'number' && {
          min: field.min,
          max: field.max,
          step: field.isWhole ? 1 : 'any',
        })}
        {...(field.kind === 'text' && { maxLength: field.maxLength })}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" disabled={text.trim() === '' || text === String(value ?? '')}>
        Save
      </button>
    </form>
  );
}
