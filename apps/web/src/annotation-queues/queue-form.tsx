import type { FormEvent } from 'react';
import { useSpecs } from '../call/annotations.js';
import { Problem } from '../ui/parts.js';
import css from '../ui/board.module.css';
import type { QueueRequest } from './queue-changes.js';
import type { Queue } from './queues-api.js';

interface QueueFormProps {
  readonly projectId: string;
  /** The queue to change; absent to create one. */
  readonly queue?: Queue;
  readonly isBusy: boolean;
  readonly onSubmit: (request: QueueRequest) => void;
}

/** Creates a queue or changes one. */
export function QueueForm({ projectId, queue, isBusy, onSubmit }: QueueFormProps) {
  const { data: specs, error } = useSpecs(projectId);
  const known = (specs ?? []).map(({ object_id, digest, val }) => ({
    ref: `weave:///${projectId}/object/${object_id}:${digest}`,
    label: val.name ?? object_id,
  }));
  const given = queue?.scorer_refs ?? [];
  // A queue may have earlier versions of specs, and scorers, which stay unless they are deselected.
  const others = given
    .filter((ref) => known.every((one) => one.ref !== ref))
    .map((ref) => ({ ref, label: ref.slice(ref.lastIndexOf('/') + 1) }));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => ((form.get(name) as string | null) ?? '').trim();
    const scorer_refs = form.getAll('spec').map(String);
    onSubmit({ name: text('name'), description: text('description'), scorer_refs });
  };
  return (
    <form onSubmit={submit} className={css.section}>
      <label className={css.field}>
        Name
        <input name="name" required pattern=".*\S.*" maxLength={1024} defaultValue={queue?.name} />
      </label>
      <label className={css.field}>
        What annotators should know, optional
        <textarea
          name="description"
          rows={3}
          maxLength={65_536}
          defaultValue={queue?.description}
        />
      </label>
      {error !== null && <Problem error={error} />}
      <fieldset>
        <legend>Annotation specs</legend>
        {[...others, ...known].map(({ ref, label }) => (
          <label key={ref}>
            <input type="checkbox" name="spec" value={ref} defaultChecked={given.includes(ref)} />{' '}
            {label}
          </label>
        ))}
        {specs !== undefined && known.length + others.length === 0 && (
          <span className={css.muted}>
            This project has none. weave.publish(weave.AnnotationSpec(…)) of the Python SDK makes
            one.
          </span>
        )}
      </fieldset>
      <div className={css.actions}>
        <button type="submit" disabled={isBusy}>
          {queue === undefined ? 'Create' : 'Save'}
        </button>
      </div>
    </form>
  );
}
