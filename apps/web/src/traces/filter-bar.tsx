import type { FilterError } from '@app/query-language/text';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import type { Facets } from '../api/types.js';
import type { PathValues } from '../filter/paths.js';
import { suggestions, type Suggestion } from '../filter/suggest.js';
import { useKeys } from '../ui/keys.js';
import css from './filter-bar.module.css';

interface FilterBarProps {
  readonly value: string;
  readonly error: FilterError | undefined;
  readonly facets: Facets | undefined;
  readonly paths: PathValues;
  readonly onChange: (text: string) => void;
}

/** The filter as text. Enter applies it; the list below completes the word before the cursor. */
export function FilterBar({ value, error, facets, paths, onChange }: FilterBarProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const [caret, setCaret] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  useEffect(() => setText(value), [value]);
  useKeys({ '/': () => input.current?.focus() });

  const offered = isOpen ? suggestions(text, caret, facets, paths) : [];
  const accept = ({ insert, from }: Suggestion) => {
    const changed = text.slice(0, from) + insert + text.slice(caret);
    setText(changed);
    setChosen(-1);
    requestAnimationFrame(() => {
      input.current?.setSelectionRange(from + insert.length, from + insert.length);
      setCaret(from + insert.length);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const suggestion = offered[chosen];
    if (step !== undefined && offered.length > 0) {
      event.preventDefault();
      setChosen((chosen + step + offered.length) % offered.length);
    } else if ((event.key === 'Enter' || event.key === 'Tab') && suggestion !== undefined) {
      event.preventDefault();
      accept(suggestion);
    } else if (event.key === 'Enter') {
      setIsOpen(false);
      onChange(text.trim());
    } else if (event.key === 'Escape') {
      if (isOpen && offered.length > 0) setIsOpen(false);
      else input.current?.blur();
    }
  };

  return (
    <div className={css.bar}>
      <input
        ref={input}
        role="combobox"
        aria-label="Filter"
        aria-expanded={offered.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        autoComplete="off"
        spellCheck={false}
        className={css.input}
        placeholder='Filter: status = error and latency > 2s and inputs.model ~ "gpt" and "any text"'
        value={text}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
        onChange={(event) => {
          setText(event.target.value);
          setCaret(event.target.selectionStart ?? event.target.value.length);
          setIsOpen(true);
          setChosen(-1);
        }}
        onKeyDown={onKeyDown}
      />
      {text !== '' && (
        <button
          type="button"
          className={css.clear}
          aria-label="Clear the filter"
          onClick={() => {
            setText('');
            onChange('');
          }}
        >
          ×
        </button>
      )}
      <ul
        role="listbox"
        id={`${id}-list`}
        aria-label="Completions"
        hidden={offered.length === 0}
        className={css.list}
      >
        {offered.map((one, index) => (
          <li
            key={one.insert}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={css.option}
            // The field must not lose the focus before the click arrives.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => accept(one)}
          >
            <code>{one.insert}</code> <span className={css.hint}>{one.hint}</span>
          </li>
        ))}
      </ul>
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className={css.error}>
          {error.message} <span className={css.hint}>At character {error.at + 1}.</span>
        </p>
      )}
    </div>
  );
}
