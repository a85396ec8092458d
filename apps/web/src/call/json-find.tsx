import { useState, type KeyboardEvent } from 'react';
import { useSearch } from '@tanstack/react-router';
import { formatCount } from '../format.js';
import type { JsonSource } from './json-source.js';
import css from './json-view.module.css';

interface JsonFindProps {
  readonly source: JsonSource;
  /** With the path of the place, if there is one. */
  readonly onSearched: (text: string, keys: readonly string[] | undefined) => void;
}

/** Finds a text in the keys and values of a payload: Enter is the next place, Shift+Enter the one before. */
export function JsonFind({ source, onSearched }: JsonFindProps) {
  const { seek = '' } = useSearch({ strict: false });
  const [query, setQuery] = useState(seek);
  const [place, setPlace] = useState<{ readonly nth: number; readonly total: number }>();
  const find = async (nth: number) => {
    const { total, keys } = await source.search(query, nth);
    setPlace({ nth: total === 0 ? 0 : ((nth % total) + total) % total, total });
    onSearched(query, keys);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      void find(place === undefined ? 0 : place.nth + (event.shiftKey ? -1 : 1));
    }
    if (event.key === 'Escape') event.currentTarget.blur();
  };
  return (
    <div className={css.find}>
      <input
        type="search"
        aria-label="Find in payload"
        placeholder="Find in payload"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setPlace(undefined);
        }}
        onKeyDown={onKeyDown}
      />
      <span role="status" className={css.note}>
        {place && placeText(place.nth, place.total)}
      </span>
    </div>
  );
}

const placeText = (nth: number, total: number): string =>
  total === 0 ? 'not found' : `${formatCount(nth + 1)} of ${formatCount(total)}`;
