import type { FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { formatCount } from '../format.js';
import { Problem } from '../ui/parts.js';
import css from '../ui/board.module.css';
import { addCalls, ADDED_MAX, refreshQueue, type AddRequest } from './queue-changes.js';

interface AddCallsProps {
  readonly projectId: string;
  readonly queueId: string;
}

/** Adds the newest calls of a filter to a queue. */
export function AddCalls({ projectId, queueId }: AddCallsProps) {
  const queries = useQueryClient();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (request: AddRequest) => addCalls(projectId, queueId, request),
    onSuccess: () => refreshQueue(queries, projectId, queueId),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => ((form.get(name) as string | null) ?? '').trim();
    mutate({
      filter: text('filter'),
      calls: text('calls'),
      limit: Number(text('limit')),
      display_fields: text('fields')
        .split(/[\s,]+/)
        .filter((path) => path !== ''),
    });
  };
  return (
    <form onSubmit={submit} className={css.section}>
      <label className={css.field}>
        Filter, as in the list of traces; all when empty
        <input name="filter" size={40} placeholder="status = error and latency > 2s" />
      </label>
      <label className={css.field}>
        Of
        <select name="calls">
          <option value="">Traces</option>
          <option value="all">All calls</option>
        </select>
      </label>
      <label className={css.field}>
        The newest
        <input name="limit" type="number" min={1} max={ADDED_MAX} required defaultValue={50} />
      </label>
      <label className={css.field}>
        Paths to show, optional
        <input name="fields" size={40} placeholder="inputs.text, output" />
      </label>
      <div className={css.actions}>
        <button type="submit" disabled={isPending}>
          Add calls
        </button>
        <span role="status">{data !== undefined && sentenceOf(data)}</span>
      </div>
      {error !== null && <Problem error={error} />}
    </form>
  );
}

const sentenceOf = ({ added_count, duplicates }: { added_count: number; duplicates: number }) =>
  `Added ${formatCount(added_count)}, ${formatCount(duplicates)} were in the queue before.`;
