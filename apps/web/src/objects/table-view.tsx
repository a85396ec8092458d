import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { formatCount } from '../format.js';
import { Empty, Problem } from '../ui/parts.js';
import { useAddress } from '../ui/use-address.js';
import board from '../ui/board.module.css';
import {
  ROWS_PER_REQUEST,
  tableCountQuery,
  tableRowsQuery,
  type TableId,
  type TableRow,
  type TableSort,
} from './table-api.js';
import { cellOf, cellText, columnsOf } from './table-rows.js';
import { useMatches } from './use-matches.js';
import css from './table-view.module.css';

const ROW_HEIGHT = 32;
const OVERSCAN = 10;

/** The rows of a table. Only those on the screen are read and drawn, however many there are. */
export function TableView({ projectId, digest }: TableId) {
  const table = { projectId, digest };
  const [{ sort: sortText = '', find = '', row: selected }, change] = useAddress();
  const sort = sortOf(sortText);
  const total = useQuery(tableCountQuery(table));
  const first = useQuery(tableRowsQuery(table, sort, 0));
  const matches = useMatches(table, sort, find);
  const error = total.error ?? first.error ?? matches.error;
  if (error !== null && error !== undefined) return <Problem error={error} />;
  if (total.data === undefined || first.data === undefined) return <Empty>Loading…</Empty>;
  const columns = columnsOf(find === '' ? first.data : [...matches.rows, ...first.data]);
  const next = (column: string) =>
    sortText === column ? `-${column}` : sortText === `-${column}` ? '' : column;
  const isFound = find !== '';
  return (
    <section className={board.section} aria-label="Rows">
      <div className={board.actions}>
        <label className={board.field}>
          Rows that contain
          <input
            type="search"
            defaultValue={find}
            onKeyDown={(event) => {
              if (event.key === 'Enter') change({ find: event.currentTarget.value });
            }}
            onBlur={({ target }) => {
              if (target.value !== find) change({ find: target.value });
            }}
          />
        </label>
        <span role="status">
          {isFound
            ? `${formatCount(matches.rows.length)} rows of ${formatCount(matches.scanned)} read${matches.isComplete ? '' : ' so far'}${matches.isCut ? '; more match' : ''}`
            : `${formatCount(total.data)} rows`}
        </span>
      </div>
      <Rows
        table={table}
        sort={sort}
        columns={columns}
        count={isFound ? matches.rows.length : total.data}
        found={isFound ? matches.rows : undefined}
        head={(column) => (
          <button type="button" onClick={() => change({ sort: next(column) })}>
            {column}
            {sortText === column ? ' ↑' : sortText === `-${column}` ? ' ↓' : ''}
          </button>
        )}
        sortText={sortText}
        selected={selected}
        onSelect={(one) => change({ row: one === selected ? '' : one })}
      />
    </section>
  );
}

function sortOf(text: string): TableSort | undefined {
  if (text === '') return undefined;
  return text.startsWith('-')
    ? { field: text.slice(1), direction: 'desc' }
    : { field: text, direction: 'asc' };
}

interface RowsProps {
  readonly table: TableId;
  readonly sort: TableSort | undefined;
  readonly sortText: string;
  readonly columns: readonly string[];
  readonly count: number;
  /** The rows that match, when there is a filter. */
  readonly found: readonly TableRow[] | undefined;
  readonly head: (column: string) => ReactNode;
  readonly selected: string | undefined;
  readonly onSelect: (digest: string) => void;
}

function Rows({
  table,
  sort,
  sortText,
  columns,
  count,
  found,
  head,
  selected,
  onSelect,
}: RowsProps) {
  const area = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => area.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  const rowAt = useVisibleRows(table, sort, items[0]?.index ?? 0, items.at(-1)?.index ?? 0, found);
  const style = {
    gridTemplateColumns: `70px repeat(${Math.max(1, columns.length)}, minmax(140px, 1fr))`,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { Home: 0, End: count - 1 }[event.key];
    if (to === undefined || count === 0) return;
    event.preventDefault();
    virtual.scrollToIndex(to);
  };
  const direction = (column: string) =>
    sortText === column ? 'ascending' : sortText === `-${column}` ? 'descending' : 'none';
  return (
    <div
      ref={area}
      className={css.area}
      role="table"
      aria-label="Rows"
      aria-rowcount={count + 1}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className={css.head}>
        <div role="row" aria-rowindex={1} className={css.row} style={style}>
          <span role="columnheader">Row</span>
          {columns.length === 0 ? (
            <span role="columnheader">Value</span>
          ) : (
            columns.map((column) => (
              <span role="columnheader" key={column} aria-sort={direction(column)}>
                {head(column)}
              </span>
            ))
          )}
        </div>
      </div>
      <div role="rowgroup" className={css.body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const row = rowAt(index);
          const isSelected = row !== undefined && row.digest === selected;
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              className={`${css.row} ${css.placed} ${isSelected ? board.selected : ''}`}
              style={{ ...style, transform: `translateY(${start}px)` }}
            >
              <span role="cell">
                {row && (
                  <button
                    type="button"
                    aria-pressed={isSelected}
                    aria-label={`Row ${row.original_index}`}
                    className={css.number}
                    onClick={() => onSelect(row.digest)}
                  >
                    {row.original_index}
                  </button>
                )}
              </span>
              {row !== undefined && columns.length === 0 && (
                <span role="cell">{cellText(row.val)}</span>
              )}
              {columns.map((column) => (
                <span role="cell" key={column} className={css.cell}>
                  {row === undefined ? '…' : cellOf(row, column)}
                </span>
              ))}
              {row !== undefined && isSelected && <Whole row={row} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** All of a selected row. */
function Whole({ row }: { readonly row: TableRow }) {
  return (
    <span role="cell" className={css.whole}>
      <code>{JSON.stringify(row.val, null, 1).slice(0, 20_000)}</code>
    </span>
  );
}

/** Reads the pages that the rows from `from` to `to` are on. */
function useVisibleRows(
  table: TableId,
  sort: TableSort | undefined,
  from: number,
  to: number,
  found: readonly TableRow[] | undefined,
): (index: number) => TableRow | undefined {
  const firstPage = Math.floor(from / ROWS_PER_REQUEST);
  const pages = Array.from(
    { length: Math.floor(to / ROWS_PER_REQUEST) - firstPage + 1 },
    (_, i) => firstPage + i,
  );
  const results = useQueries({
    queries: pages.map((page) => ({
      ...tableRowsQuery(table, sort, page),
      enabled: found === undefined,
    })),
  });
  if (found !== undefined) return (index) => found[index];
  return (index) =>
    results[Math.floor(index / ROWS_PER_REQUEST) - firstPage]?.data?.[index % ROWS_PER_REQUEST];
}
