import { useId, useMemo, type FormEvent } from 'react';
import { useParams } from '@tanstack/react-router';
import { useTraceIdOf, useTree, type LoadingTree } from '../trace/use-trace.js';
import { Empty, Problem, useTitle } from '../ui/parts.js';
import { useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import { CallsTable } from './calls-table.js';
import { PayloadDiff } from './payload-diff.js';
import { alignedCalls } from './trace-align.js';

/** Two calls with everything below them, aligned by op path, and the payloads of a pair. */
export function CompareCalls() {
  const { entity = '', project = '' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  useTitle('Comparison of traces');
  const [{ calls = '', pair = '' }] = useAddress();
  const [first = '', second = ''] = calls.split(',').map((id) => id.trim());
  const left = useSide(projectId, first);
  const right = useSide(projectId, second);
  const error = left.error ?? right.error;
  const rows = useMemo(
    () =>
      left.row >= 0 && right.row >= 0 && left.tree && right.tree
        ? alignedCalls(left.tree, right.tree, left.row, right.row)
        : undefined,
    [left.tree, right.tree, left.row, right.row],
  );
  const [a = first, b = second] = pair === '' ? [] : pair.split(',');
  const missing = [left, right].find(({ isMissing }) => isMissing);
  return (
    <main id="main" className={css.screen}>
      <div className={css.head}>
        <h1>Comparison of traces</h1>
        <Choice key={calls} first={first} second={second} />
      </div>
      {error !== undefined && <Problem error={error} />}
      {missing !== undefined && (
        <Empty>There is no call {missing.id.slice(0, 80)} in this project.</Empty>
      )}
      {first !== '' &&
        second !== '' &&
        rows === undefined &&
        error === undefined &&
        missing === undefined && <Empty>Loading…</Empty>}
      {rows !== undefined && (
        <>
          <CallsTable projectId={projectId} rows={rows} left={left.tree!} right={right.tree!} />
          <PayloadDiff key={`${a} ${b}`} projectId={projectId} first={a} second={b} />
        </>
      )}
    </main>
  );
}

interface Side extends LoadingTree {
  readonly id: string;
  readonly row: number;
  readonly isMissing: boolean;
}

function useSide(projectId: string, id: string): Side {
  const found = useTraceIdOf(projectId, id === '' ? undefined : id);
  const loading = useTree(projectId, found.data ?? undefined);
  const row = loading.tree?.ids.indexOf(id) ?? -1;
  const isMissing =
    found.data === null || (loading.isComplete && loading.tree !== undefined && row < 0);
  return { ...loading, id, row, isMissing, error: found.error ?? loading.error };
}

function Choice({ first, second }: { readonly first: string; readonly second: string }) {
  const id = useId();
  const [, change] = useAddress();
  const compare = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const ids = ['first', 'second'].map((name) => (form.get(name) as string).trim());
    change({ calls: ids.join(','), pair: '', page: '' });
  };
  return (
    <form className={css.actions} onSubmit={compare}>
      <label className={css.field} htmlFor={`${id}-a`}>
        First call
      </label>
      <input id={`${id}-a`} name="first" defaultValue={first} required />
      <label className={css.field} htmlFor={`${id}-b`}>
        Second call
      </label>
      <input id={`${id}-b`} name="second" defaultValue={second} required />
      <button type="submit">Compare</button>
    </form>
  );
}
