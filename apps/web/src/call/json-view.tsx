import { useEffect, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useSearch } from '@tanstack/react-router';
import { useChangeSearch } from '../ui/change-search.js';
import { listIn, listText } from '../ui/search-list.js';
import type { JsonRow, RowsRequest } from './json-document.js';
import { keysOfPath, pathText } from './json-index.js';
import { JsonActions } from './json-actions.js';
import { JsonFind } from './json-find.js';
import type { JsonSource } from './json-source.js';
import { JsonValue } from './json-value.js';
import css from './json-view.module.css';

interface JsonViewProps {
  readonly projectId: string;
  /** The first key of every path, such as `inputs`. */
  readonly member: string;
  readonly source: JsonSource;
  readonly isLarge: boolean;
}

const ROW_HEIGHT = 26;
const OPEN_DEPTH = 3;

/** A JSON text as a tree. Only open containers are scanned, and only visible rows exist. */
export function JsonView({ projectId, member, source, isLarge }: JsonViewProps) {
  const { path: selected, open } = useSearch({ strict: false });
  const changeSearch = useChangeSearch();
  const select = (path: string | undefined) => changeSearch({ path: path ?? '' });
  const marks = listIn(open);
  const toggled = marks
    .map(keysOfPath)
    .filter(([name, ...keys]) => name === member && keys.length > 0);
  const [first, ...keys] = selected === undefined ? [] : keysOfPath(selected);
  const isHere = first === member && keys.length > 0;
  const all = useRows(source, {
    openDepth: isLarge ? 1 : OPEN_DEPTH,
    toggled: toggled.map(([, ...keys]) => pathText(keys)),
    selected: isHere ? keys : undefined,
  });
  const rows = all.length > 1 ? all.slice(1) : all;
  const list = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current?.closest<HTMLElement>('[role=tabpanel], main') ?? null,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const place = isHere ? rows.findIndex((row) => pathText([member, ...row.keys]) === selected) : -1;
  useEffect(() => {
    if (place > 0) virtual.scrollToIndex(place, { align: 'center' });
    // Only when another value is selected or its row arrives, not at every change of the rows.
  }, [selected, place >= 0]);
  const toggle = (path: string) => {
    const others = marks.filter((one) => one !== path);
    changeSearch({ open: listText(others.length < marks.length ? others : [...marks, path]) });
  };
  const root = all[0];
  return (
    <>
      <JsonFind
        source={source}
        onSearched={(seek, found) =>
          changeSearch({ seek, ...(found && { path: pathText([member, ...found]) }) })
        }
      />
      {place >= 0 && (
        <JsonActions
          projectId={projectId}
          source={source}
          path={selected!}
          row={rows[place]!}
          onClose={() => select(undefined)}
        />
      )}
      <div ref={list} className={css.json}>
        {root !== undefined && <Window row={root} />}
        <div style={{ height: virtual.getTotalSize() }} className={css.rows}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index]!;
            return (
              <Row
                key={key}
                index={index}
                measure={virtual.measureElement}
                top={start - virtual.options.scrollMargin}
                projectId={projectId}
                source={source}
                row={row}
                path={pathText([member, ...row.keys])}
                isSelected={index === place}
                isLong={marks.includes(pathText([member, ...row.keys]))}
                onSelect={select}
                onToggle={toggle}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

/** The rows of a source, as they were until the new ones arrive. */
function useRows(source: JsonSource, request: RowsRequest): readonly JsonRow[] {
  const [rows, setRows] = useState<readonly JsonRow[]>([]);
  const key = JSON.stringify(request);
  useEffect(() => {
    let isStale = false;
    void source.rows(JSON.parse(key) as RowsRequest).then((result) => {
      if (!isStale) setRows(result);
    });
    return () => {
      isStale = true;
    };
  }, [source, key]);
  return rows;
}

/** Which members of a large container are shown. */
function Window({ row: { before, hasAfter } }: { readonly row: JsonRow }) {
  if (before === 0 && !hasAfter) return null;
  return (
    <span className={css.note}>
      members from {before} on{hasAfter && ', at most 1,000'}; the search finds the others
    </span>
  );
}

interface RowProps {
  readonly index: number;
  readonly measure: (element: Element | null) => void;
  readonly top: number;
  readonly projectId: string;
  readonly source: JsonSource;
  readonly row: JsonRow;
  readonly path: string;
  readonly isSelected: boolean;
  readonly isLong: boolean;
  readonly onSelect: (path: string | undefined) => void;
  readonly onToggle: (path: string) => void;
}

function Row(props: RowProps) {
  const { index, measure, top, projectId, source, row, path, isSelected } = props;
  const { keys, kind, depth, isOpen } = row;
  const isContainer = kind === 'object' || kind === 'array';
  return (
    <div
      ref={measure}
      data-index={index}
      className={`${css.row} ${isSelected ? css.selected : ''}`}
      style={{ transform: `translateY(${top}px)`, paddingLeft: 8 + indentOf(depth) }}
    >
      {isContainer ? (
        <button
          type="button"
          className={css.fold}
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${path}`}
          onClick={() => props.onToggle(path)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
      ) : (
        <span className={css.fold} />
      )}
      {keys.length > 0 && (
        <button
          type="button"
          className={css.key}
          onClick={() => props.onSelect(isSelected ? undefined : path)}
        >
          {keys.at(-1)}
        </button>
      )}
      {isOpen ? <Window row={row} /> : null}
      <JsonValue
        projectId={projectId}
        source={source}
        row={row}
        isLong={props.isLong}
        onToggle={() => props.onToggle(path)}
      />
    </div>
  );
}

/** Hundreds of levels would push the text out of the view. */
const INDENT_MAX = 30;
const indentOf = (depth: number) => Math.min(INDENT_MAX, Math.max(0, depth - 1)) * 16;
