import { useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { formatCount } from '../format.js';
import { Confirm } from '../ui/confirm.js';
import { Problem } from '../ui/parts.js';
import { inBulk, refreshDeadLetters, type BulkProgress, type Group } from './dead-letters-api.js';
import css from './operations.module.css';

type Action = 'replay' | 'drop';

const DONE: Readonly<Record<Action, string>> = { replay: 'Replayed', drop: 'Dropped' };

/** Replays or drops every dead letter of a reason, with progress. It can be stopped and started again. */
export function Bulk({ group }: { readonly group: Group }) {
  const [isConfirming, setIsConfirming] = useState(false);
  const { progress, running, error, start, stop } = useBulk(group);
  return (
    <div className={css.actions}>
      <button type="button" disabled={running !== undefined} onClick={() => start('replay')}>
        Replay all of this reason
      </button>
      <button type="button" disabled={running !== undefined} onClick={() => setIsConfirming(true)}>
        Drop all of this reason
      </button>
      {running !== undefined && (
        <button type="button" onClick={stop}>
          Stop
        </button>
      )}
      <p role="status">{progress !== undefined && sentenceOf(progress)}</p>
      {error !== undefined && <Problem error={error} />}
      {isConfirming && (
        <Confirm
          label="Drop all"
          action="Drop all"
          onConfirm={() => start('drop')}
          onClose={() => setIsConfirming(false)}
        >
          Drop every open dead letter of this reason? They stay readable as dropped ones.
        </Confirm>
      )}
    </div>
  );
}

interface Shown extends BulkProgress {
  readonly action: Action;
  readonly hasEnded: boolean;
}

function sentenceOf({ action, done, left, reason, hasEnded }: Shown): string {
  const counted = `${DONE[action]} ${formatCount(done)}${hasEnded ? '.' : ' so far.'}`;
  return left === 0 ? counted : `${counted} ${formatCount(left)} stay open: ${reason}.`;
}

function useBulk(group: Group) {
  const queries = useQueryClient();
  const [progress, setProgress] = useState<Shown | undefined>();
  const [running, setRunning] = useState<Action | undefined>();
  const [error, setError] = useState<unknown>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  const run = async (action: Action, signal: AbortSignal) => {
    let last: BulkProgress = { done: 0, left: 0, reason: null };
    try {
      for await (const page of inBulk(action, group, signal)) {
        last = page;
        setProgress({ ...page, action, hasEnded: false });
      }
    } catch (caught) {
      if (!signal.aborted) setError(caught);
    } finally {
      setProgress({ ...last, action, hasEnded: true });
      setRunning(undefined);
      await refreshDeadLetters(queries);
    }
  };
  const start = (action: Action) => {
    abort.current = new AbortController();
    setError(undefined);
    setRunning(action);
    void run(action, abort.current.signal);
  };
  return { progress, running, error, start, stop: () => abort.current?.abort() };
}
