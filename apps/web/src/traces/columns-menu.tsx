import { useId, useState, type FormEvent } from 'react';
import {
  boundedWidth,
  COLUMNS,
  columnOf,
  columnsOf,
  columnsText,
  isPayloadPath,
  nameColumnOf,
  PATHS_MAX,
  pathsOf,
  type Column,
} from './column-list.js';
import type { SearchChange, TracesSearch } from './traces-search.js';
import css from './toolbar.module.css';

interface ColumnsMenuProps {
  readonly search: TracesSearch;
  readonly paths: readonly string[];
  readonly onChange: (change: SearchChange) => void;
}

const WIDTH_STEP = 40;

/** Chooses the columns, their order and width; any path of a payload can be one. */
export function ColumnsMenu({ search, paths, onChange }: ColumnsMenuProps) {
  const chosen = columnsOf(search.cols);
  const set = (columns: readonly Column[]) =>
    onChange({ cols: columnsText(columns, nameColumnOf(search.cols)) });
  const rest = COLUMNS.filter(({ id }) => !chosen.some((column) => column.id === id));
  return (
    <>
      <button type="button" popoverTarget="columns">
        Columns
      </button>
      <div id="columns" popover="auto" className={css.popover}>
        <AddPath
          paths={paths}
          isFull={pathsOf(chosen).length >= PATHS_MAX}
          onAdd={(path) => set([...chosen.filter(({ id }) => id !== path), columnOf(path)!])}
        />
        {[...chosen, ...rest].map((column, place) => (
          <ColumnEntry
            key={column.id}
            column={column}
            place={place}
            count={chosen.length}
            onToggle={() =>
              set(
                place < chosen.length
                  ? chosen.filter(({ id }) => id !== column.id)
                  : [...chosen, column],
              )
            }
            onMove={(step) => set(moved(chosen, place, step))}
            onWidth={(step) =>
              set(
                chosen.map((one, i) =>
                  i === place ? { ...one, width: boundedWidth(one.width + step) } : one,
                ),
              )
            }
          />
        ))}
      </div>
    </>
  );
}

function moved(columns: readonly Column[], from: number, step: number): readonly Column[] {
  const others = columns.filter((_, i) => i !== from);
  return [...others.slice(0, from + step), columns[from]!, ...others.slice(from + step)];
}

interface ColumnEntryProps {
  readonly column: Column;
  readonly place: number;
  readonly count: number;
  readonly onToggle: () => void;
  readonly onMove: (step: number) => void;
  readonly onWidth: (step: number) => void;
}

function ColumnEntry({ column, place, count, onToggle, onMove, onWidth }: ColumnEntryProps) {
  const { label } = column;
  const isShown = place < count;
  const actions: readonly (readonly [sign: string, name: string, run: () => void])[] = [
    ...(place > 0 ? [['←', `Move ${label} left`, () => onMove(-1)] as const] : []),
    ...(place < count - 1 ? [['→', `Move ${label} right`, () => onMove(1)] as const] : []),
    ['−', `Make ${label} narrower`, () => onWidth(-WIDTH_STEP)],
    ['+', `Make ${label} wider`, () => onWidth(WIDTH_STEP)],
  ];
  return (
    <div className={css.column}>
      <label>
        <input type="checkbox" checked={isShown} onChange={onToggle} /> {label}
      </label>
      {isShown &&
        actions.map(([sign, name, run]) => (
          <button key={name} type="button" aria-label={name} onClick={run}>
            {sign}
          </button>
        ))}
    </div>
  );
}

interface AddPathProps {
  readonly paths: readonly string[];
  readonly isFull: boolean;
  readonly onAdd: (path: string) => void;
}

function AddPath({ paths, isFull, onAdd }: AddPathProps) {
  const id = useId();
  const [text, setText] = useState('');
  const path = text.trim();
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (!isPayloadPath(path) || isFull) return;
    onAdd(path);
    setText('');
  };
  return (
    <form onSubmit={add}>
      <label htmlFor={id}>A path of the payloads</label>
      <div className={css.path}>
        <input
          id={id}
          list={`${id}-paths`}
          placeholder="inputs.customer"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" disabled={!isPayloadPath(path) || isFull}>
          Add column
        </button>
      </div>
      <datalist id={`${id}-paths`}>
        {paths.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {isFull && <p>A list has at most {PATHS_MAX} paths.</p>}
    </form>
  );
}
