import { useEffect, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Link, useRouter } from '@tanstack/react-router';
import type { CallPreview } from '../api/types.js';
import { useKeys } from '../ui/keys.js';
import { useNow } from '../ui/parts.js';
import { cellOf } from './cells.js';
import { boundedWidth, columnsOf, columnsText, nameColumnOf, type Column } from './column-list.js';
import { lastOffset, rememberOffset } from './last-list.js';
import { sortOf, type Sort } from './traces-query.js';
import type { TracesSearch } from './traces-search.js';
import css from './traces-table.module.css';

const ROW_HEIGHT = 32;
/** Of the element that scrolls. */
export const LIST_ID = 'traces-list';
/** The next page is read when this many rows are left. */
const AHEAD = 30;

interface TracesTableProps {
  readonly projectId: string;
  readonly search: TracesSearch;
  readonly calls: readonly CallPreview[];
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
  /** The paths whose values the calls have. */
  readonly paths: readonly string[];
  readonly onSort: (sort: string) => void;
  readonly onColumns: (cols: string) => void;
  readonly onTop: (isAtTop: boolean) => void;
}

/** A real table of which only the visible rows exist. */
export function TracesTable(props: TracesTableProps) {
  const { projectId, search, calls, paths, hasMore, isLoadingMore, onMore, onSort, onTop } = props;
  const [entity, project] = projectId.split('/') as [string, string];
  const { columns, resize, finish } = useColumnWidths(search.cols, props.onColumns);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: calls.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    initialOffset: () => lastOffset(projectId, search),
  });
  const isAnyRunning = calls.some(({ status }) => status === 'running');
  const now = useNow(isAnyRunning ? 1_000 : 30_000);
  const move = useRowFocus(calls, rows.scrollToIndex);
  const router = useRouter();
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Home: () => move(-calls.length),
    End: () => move(calls.length),
  });

  const items = rows.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoadingMore && lastShown >= calls.length - AHEAD) onMore();
  }, [hasMore, isLoadingMore, lastShown, calls.length, onMore]);

  const above = items[0]?.start ?? 0;
  const below = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div
      ref={scroller}
      id={LIST_ID}
      className={css.scroll}
      tabIndex={0}
      role="region"
      aria-label="Traces"
      onScroll={({ currentTarget: { scrollTop } }) => {
        onTop(scrollTop < ROW_HEIGHT);
        rememberOffset(projectId, search, scrollTop);
      }}
    >
      <table
        className={css.table}
        style={{ width: columns.reduce((sum, { width }) => sum + width, 0) }}
        aria-rowcount={hasMore ? -1 : calls.length + 1}
      >
        <colgroup>
          {columns.map(({ id, width }) => (
            <col key={id} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeadCell
                key={column.id}
                column={column}
                sort={sortOf(search.sort)}
                onSort={onSort}
                onResize={(width) => resize(column.id, width)}
                onResized={(width) => finish(column.id, width)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {items.map(({ index }) => {
            const call = calls[index]!;
            return (
              <tr
                key={call.id}
                aria-rowindex={index + 2}
                className={css.row}
                onClick={(event) => {
                  const isLink = (event.target as Element).closest('a') !== null;
                  if (isLink || getSelection()?.toString()) return;
                  router.history.push(`/${projectId}/weave/calls/${encodeURIComponent(call.id)}`);
                }}
              >
                {columns.map((column) => (
                  <td key={column.id} className={column.isNumber ? css.number : undefined}>
                    {column.id === 'name' ? (
                      <Link
                        id={`row-${call.id}`}
                        to="/$entity/$project/weave/calls/$callId"
                        params={{ entity, project, callId: call.id }}
                        className={css.name}
                      >
                        {cellOf(column, call, now, paths)}
                      </Link>
                    ) : (
                      cellOf(column, call, now, paths)
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  );
}

interface HeadCellProps {
  readonly column: Column;
  readonly sort: Sort;
  readonly onSort: (sort: string) => void;
  readonly onResize: (width: number) => void;
  readonly onResized: (width: number) => void;
}

function HeadCell({ column, sort, onSort, onResize, onResized }: HeadCellProps) {
  const { label, field, isSorted: maySort, isNumber, width } = column;
  const isSorted = maySort && sort.field === field;
  const direction = sort.direction === 'asc' ? 'ascending' : 'descending';
  const next = isSorted && sort.direction === 'desc' ? sort.field : `-${field}`;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? direction : undefined}
      className={isNumber ? css.number : undefined}
    >
      {maySort ? (
        <button type="button" className={css.sort} onClick={() => onSort(next)}>
          {label}
          <span aria-hidden>{isSorted ? (sort.direction === 'asc' ? ' ↑' : ' ↓') : ''}</span>
        </button>
      ) : (
        label
      )}
      <ResizeHandle width={width} onResize={onResize} onResized={onResized} />
    </th>
  );
}

/** For the mouse; the menu of columns has buttons that do the same. */
function ResizeHandle({
  width,
  onResize,
  onResized,
}: Pick<HeadCellProps, 'onResize' | 'onResized'> & { readonly width: number }) {
  const start = useRef<{ readonly x: number; readonly width: number } | undefined>(undefined);
  return (
    <span
      aria-hidden
      className={css.resize}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, width };
      }}
      onPointerMove={(event) => {
        if (start.current) onResize(start.current.width + event.clientX - start.current.x);
      }}
      onPointerUp={(event) => {
        const from = start.current;
        start.current = undefined;
        if (from) onResized(from.width + event.clientX - from.x);
      }}
    />
  );
}

/** Widths change while the pointer moves; the address changes when it stops. */
function useColumnWidths(cols: string | undefined, onColumns: (cols: string) => void) {
  const [widths, setWidths] = useState<Readonly<Record<string, number>>>({});
  const columnsWith = (changed: typeof widths) =>
    [nameColumnOf(cols), ...columnsOf(cols)].map((column) => ({
      ...column,
      width: changed[column.id] ?? column.width,
    })) as [Column, ...Column[]];
  return {
    columns: columnsWith(widths),
    resize: (id: string, width: number) => setWidths({ ...widths, [id]: boundedWidth(width) }),
    // With the last width: the pointer may be up before React has rendered it.
    finish: (id: string, width: number) => {
      const [name, ...others] = columnsWith({ [id]: boundedWidth(width) });
      setWidths({});
      onColumns(columnsText(others, name));
    },
  };
}

/** Moves the focus from row to row. The focus stays in the list when it is read again. */
function useRowFocus(
  calls: readonly CallPreview[],
  scrollTo: (index: number) => void,
): (step: number) => void {
  const [focused, setFocused] = useState<string | undefined>();
  useEffect(() => {
    if (focused === undefined) return;
    const frame = requestAnimationFrame(() => document.getElementById(`row-${focused}`)?.focus());
    return () => cancelAnimationFrame(frame);
  }, [focused]);
  return (step) => {
    const current = calls.findIndex(({ id }) => `row-${id}` === document.activeElement?.id);
    const from = current === -1 && step > 0 ? -1 : current;
    const index = Math.max(0, Math.min(calls.length - 1, from + step));
    scrollTo(index);
    setFocused(undefined);
    requestAnimationFrame(() => setFocused(calls[index]?.id));
  };
}
