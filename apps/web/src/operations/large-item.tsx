import { useEffect, useId, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { formatBytes, formatCount } from '../format.js';
import { Empty, Problem } from '../ui/parts.js';
import { ItemActions, ItemText, type ItemProps } from './dead-letter-item.js';
import { deadLetterQuery, type DeadLetterWithItem } from './dead-letters-api.js';
import { ItemFind } from './item-find.js';
import { editOf, indexAt } from './part-edit.js';
import css from './operations.module.css';

/** The size of the parts that the server returns. */
const PART_BYTES = 200_000;

interface ChangedPart {
  readonly part: DeadLetterWithItem;
  readonly text: string;
}

interface Found {
  readonly offset: number;
  readonly text: string;
}

/** An item of many megabytes, one part at a time. Only what changes is sent, so that the page never has all of it. */
export function LargeItem({ deadLetter, actions }: ItemProps) {
  const id = useId();
  const { bytes, state, reason } = deadLetter;
  const [number, goTo] = usePart(Math.ceil(bytes / PART_BYTES));
  const {
    data: part,
    error,
    refetch,
  } = useQuery(deadLetterQuery(deadLetter.id, number * PART_BYTES));
  const [changed, setChanged] = useState<ReadonlyMap<number, ChangedPart>>(new Map());
  const [found, setFound] = useState<Found>();
  const area = useSelection(part, found);
  const edits = editsOf(changed);
  const correction = edits.length === 0 ? undefined : { edits };
  const change = (text: string) => {
    const next = new Map(changed);
    if (part !== undefined) next.set(number, { part, text });
    setChanged(next);
  };
  const show = (next: Found) => {
    setFound(next);
    goTo(Math.floor(next.offset / PART_BYTES));
  };
  return (
    <>
      <ItemFind id={deadLetter.id} reason={reason} onFound={show} />
      <Parts number={number} bytes={bytes} goTo={goTo} />
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {part === undefined ? (
        <Empty>Loading…</Empty>
      ) : (
        <>
          <label htmlFor={id}>
            Item, {formatBytes(part.item.length)} of {formatBytes(bytes)} from byte{' '}
            {formatCount(part.offset)}
          </label>
          <ItemText
            id={id}
            area={area}
            value={changed.get(number)?.text ?? part.item}
            readOnly={state === 'replayed'}
            onChange={change}
            onCheck={() => actions.check(correction)}
          />
        </>
      )}
      {edits.length > 0 && <p className={css.muted}>Changed places: {formatCount(edits.length)}</p>}
      <ItemActions
        deadLetter={deadLetter}
        actions={actions}
        correction={correction}
        onUndo={() => setChanged(new Map())}
      />
    </>
  );
}

const editsOf = (changed: ReadonlyMap<number, ChangedPart>) =>
  [...changed]
    .sort(([a], [b]) => a - b)
    .flatMap(([, { part, text }]) => editOf(part.offset, part.item, text) ?? []);

/** The part in the address, from 0 on. */
function usePart(count: number): [number, (number: number) => void] {
  const { part = '1' } = useSearch({ from: '/-/operations' });
  const navigate = useNavigate({ from: '/-/operations' });
  const number = Math.min(Math.max(Math.trunc(Number(part)) || 1, 1), count) - 1;
  const goTo = (next: number) =>
    void navigate({ search: (search) => ({ ...search, part: String(next + 1) }) });
  return [number, goTo];
}

/** Selects what was found, once its part is shown. */
function useSelection(part: DeadLetterWithItem | undefined, found: Found | undefined) {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (area.current === null || part === undefined || found === undefined) return;
    const byte = found.offset - part.offset;
    if (byte < 0 || (part.next_offset !== null && found.offset >= part.next_offset)) return;
    const from = indexAt(part.item, byte);
    area.current.setSelectionRange(from, from + found.text.length);
    // A field scrolls to its selection when it gets the focus.
    area.current.blur();
    area.current.focus();
  }, [part, found]);
  return area;
}

interface PartsProps {
  readonly number: number;
  readonly bytes: number;
  readonly goTo: (number: number) => void;
}

function Parts({ number, bytes, goTo }: PartsProps) {
  const count = Math.ceil(bytes / PART_BYTES);
  return (
    <div role="group" aria-label="Parts of the item" className={css.actions}>
      <button type="button" disabled={number === 0} onClick={() => goTo(0)}>
        First part
      </button>
      <button type="button" disabled={number === 0} onClick={() => goTo(number - 1)}>
        Previous part
      </button>
      <span>
        Part {formatCount(number + 1)} of {formatCount(count)}
      </span>
      <button type="button" disabled={number + 1 >= count} onClick={() => goTo(number + 1)}>
        Next part
      </button>
      <button type="button" disabled={number + 1 >= count} onClick={() => goTo(count - 1)}>
        Last part
      </button>
    </div>
  );
}
