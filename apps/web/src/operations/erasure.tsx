import { useState, type FormEvent } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formatCount, formatTime } from '../format.js';
import { Modal } from '../ui/modal.js';
import { Problem, useNow } from '../ui/parts.js';
import {
  ERASURES_KEY,
  erasuresQuery,
  previewErasure,
  requestErasure,
  type ErasureTarget,
} from './erasure-api.js';
import { ErasureReports } from './erasure-reports.js';
import css from './operations.module.css';

/** Erases data permanently, and shows what earlier erasures have deleted. */
export function Erasure() {
  const now = useNow(10_000);
  const { data, error, refetch } = useQuery(erasuresQuery);
  const [target, setTarget] = useState<ErasureTarget>();
  return (
    <div className={css.column}>
      <section aria-labelledby="erase" className={css.section}>
        <h2 id="erase">Erase permanently</h2>
        <p>
          An erasure deletes calls, objects, tables, files and feedback from all tables, and cannot
          be undone. It does not reach backups.
        </p>
        <Target onTarget={setTarget} />
      </section>
      {target !== undefined && <Confirm target={target} onClose={() => setTarget(undefined)} />}
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <ErasureReports erasures={data.erasures} time={(at) => formatTime(at, now)} />
      )}
    </div>
  );
}

/** A project, or one trace or one user of it. */
function Target({ onTarget }: { readonly onTarget: (target: ErasureTarget) => void }) {
  const [what, setWhat] = useState<'project' | 'trace' | 'user'>('project');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => ((form.get(name) ?? '') as string).trim();
    onTarget({
      project_id: text('project'),
      ...(what === 'trace' && { trace_id: text('id') }),
      ...(what === 'user' && { user: text('id') }),
    });
  };
  return (
    <form className={css.fields} onSubmit={submit}>
      <label className={css.field}>
        What
        <select value={what} onChange={({ target }) => setWhat(target.value as typeof what)}>
          <option value="project">a project</option>
          <option value="trace">one trace</option>
          <option value="user">what a user wrote</option>
        </select>
      </label>
      <label className={css.field}>
        Project
        <input name="project" required placeholder="entity/project" />
      </label>
      {what !== 'project' && (
        <label className={css.field}>
          {what === 'trace' ? 'Trace id' : 'User'}
          <input name="id" required />
        </label>
      )}
      <button type="submit">Preview</button>
    </form>
  );
}

interface ConfirmProps {
  readonly target: ErasureTarget;
  readonly onClose: () => void;
}

function Confirm({ target, onClose }: ConfirmProps) {
  const expected = target.trace_id ?? target.user ?? target.project_id;
  const [confirm, setConfirm] = useState('');
  const queries = useQueryClient();
  const preview = useQuery({
    queryKey: ['erasure preview', target],
    queryFn: ({ signal }) => previewErasure(target, signal),
  });
  const { mutate, error, isPending } = useMutation({
    mutationFn: (typed: string) => requestErasure(target, typed),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ERASURES_KEY });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(confirm);
  };
  return (
    <Modal label="Erase permanently" onClose={onClose} className={css.dialog}>
      <p>
        {preview.data === undefined
          ? 'Counting…'
          : `${formatCount(preview.data)} calls of ${expected} would be erased, with everything that belongs to them.`}
      </p>
      {preview.error !== null && <Problem error={preview.error} />}
      <form className={css.column} onSubmit={submit}>
        <label className={css.field}>
          Type {expected} to confirm
          <input
            autoFocus
            autoComplete="off"
            value={confirm}
            onChange={({ target: field }) => setConfirm(field.value)}
          />
        </label>
        {error !== null && <Problem error={error} />}
        <div className={css.actions}>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" disabled={confirm !== expected || isPending}>
            Erase
          </button>
        </div>
      </form>
    </Modal>
  );
}
