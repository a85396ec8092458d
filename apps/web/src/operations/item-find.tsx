import { useId, useState, type FormEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Problem } from '../ui/parts.js';
import { findInItem } from './dead-letters-api.js';
import css from './operations.module.css';

interface ItemFindProps {
  readonly id: string;
  readonly reason: string;
  readonly onFound: (found: { readonly offset: number; readonly text: string }) => void;
}

interface Sought {
  readonly text: string;
  readonly from: number;
}

/** Finds text in an item of many megabytes. It begins with the member that the reason names. */
export function ItemFind({ id, reason, onFound }: ItemFindProps) {
  const field = useId();
  const [text, setText] = useState(() => memberIn(reason));
  const [from, setFrom] = useState(0);
  const { mutate, data, error, isPending, reset } = useMutation({
    // What is sought is passed: a key may follow another before the mutation knows the new state.
    mutationFn: (sought: Sought) => findInItem(id, sought.text, sought.from),
    onSuccess: ({ offset }, sought) => {
      setFrom(offset === null ? 0 : offset + 1);
      if (offset !== null) onFound({ offset, text: sought.text });
    },
  });
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (text !== '') mutate({ text, from });
  };
  return (
    <form className={css.fields} onSubmit={find}>
      <label className={css.field} htmlFor={field}>
        Find in the item as it was sent
        <input
          id={field}
          type="search"
          maxLength={1000}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setFrom(0);
            reset();
          }}
        />
      </label>
      <button type="submit" disabled={isPending || text === ''}>
        {from === 0 ? 'Find' : 'Find next'}
      </button>
      <span role="status">
        {data?.offset === null && 'Not found from here to the end. Find begins at the start again.'}
      </span>
      {error !== null && <Problem error={error} />}
    </form>
  );
}

/** `"started_at"` of `body.batch.0.req.start.started_at: must be …`; empty when the reason names no member. */
const memberIn = (reason: string): string => {
  const name = /^body\.(?:[^\s:]*\.)?([A-Za-z_]\w*):/.exec(reason)?.[1];
  return name === undefined ? '' : `"${name}"`;
};
