import { useEffect, useMemo, useRef, useState } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { field, literal } from '../filter/expr.js';
import { printFilter } from '../filter/text.js';
import { printSearch } from '../search-params.js';
import { CopyButton } from '../ui/parts.js';
import { pathText, rowsOf, stringOf, type JsonNode, type JsonRow } from './json-index.js';
import { refHref } from './ref-link.js';
import css from './json-view.module.css';

interface JsonViewProps {
  readonly projectId: string;
  /** The first key of every path, such as `inputs`. */
  readonly member: string;
  readonly text: string;
}

const ROW_HEIGHT = 22;
const OPEN_DEPTH = 3;
/** Above this size only the first level is open at first. */
const LARGE_CHARACTERS = 100_000;
const SHOWN_CHARACTERS = 600;

/** A JSON text as a tree. Only open containers are scanned, and only visible rows exist. */
export function JsonView({ projectId, member, text }: JsonViewProps) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const { path: selected } = useSearch({ strict: false });
  const openDepth = text.length > LARGE_CHARACTERS ? 1 : OPEN_DEPTH;
  const allRows = useMemo(
    () =>
      rowsOf(text, (path, depth) => {
        const isInside =
          selected?.startsWith(`${member}.${path === '' ? '' : `${path}.`}`) ?? false;
        return (depth < openDepth || isInside) !== toggled.has(path);
      }),
    [text, toggled, openDepth, selected, member],
  );
  const rows = allRows.length > 1 ? allRows.slice(1) : allRows;
  const list = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current?.closest<HTMLElement>('[role=tabpanel], main') ?? null,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const place = rows.findIndex(({ keys }) => pathText([member, ...keys]) === selected);
  useEffect(() => {
    if (place > 0) virtual.scrollToIndex(place, { align: 'auto' });
    // Only when another value is selected, not at every change of the rows.
  }, [selected]);
  const toggle = (path: string) => {
    const changed = new Set(toggled);
    if (!changed.delete(path)) changed.add(path);
    setToggled(changed);
  };
  return (
    <div ref={list} className={css.json}>
      {selected !== undefined && place >= 0 && (
        <Selected projectId={projectId} text={text} path={selected} row={rows[place]!} />
      )}
      <div style={{ height: virtual.getTotalSize() }} className={css.rows}>
        {virtual.getVirtualItems().map(({ index, start, key }) => (
          <Row
            key={key}
            index={index}
            measure={virtual.measureElement}
            top={start - virtual.options.scrollMargin}
            text={text}
            row={rows[index]!}
            path={pathText([member, ...rows[index]!.keys])}
            isSelected={index === place}
            onToggle={toggle}
          />
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly index: number;
  readonly measure: (element: Element | null) => void;
  readonly top: number;
  readonly text: string;
  readonly row: JsonRow;
  readonly path: string;
  readonly isSelected: boolean;
  readonly onToggle: (path: string) => void;
}

function Row({ index, measure, top, text, row, path, isSelected, onToggle }: RowProps) {
  const { keys, node, depth, isOpen, hidden } = row;
  const isContainer = node.kind === 'object' || node.kind === 'array';
  const select = useSelectPath();
  return (
    <div
      ref={measure}
      data-index={index}
      className={`${css.row} ${isSelected ? css.selected : ''}`}
      style={{ transform: `translateY(${top}px)`, paddingLeft: 8 + Math.max(0, depth - 1) * 16 }}
    >
      {isContainer ? (
        <button
          type="button"
          className={css.fold}
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${path}`}
          onClick={() => onToggle(pathText(keys))}
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
          onClick={() => select(isSelected ? undefined : path)}
        >
          {keys.at(-1)}
        </button>
      )}
      <Value text={text} node={node} isOpen={isOpen} hidden={hidden} />
    </div>
  );
}

interface ValueProps {
  readonly text: string;
  readonly node: JsonNode;
  readonly isOpen: boolean;
  readonly hidden: number;
}

function Value({ text, node, isOpen, hidden }: ValueProps) {
  const [isLong, setIsLong] = useState(false);
  if (node.kind === 'object' || node.kind === 'array') {
    if (isOpen)
      return hidden > 0 ? <span className={css.note}>the first 1,000 members</span> : null;
    const preview = text.slice(node.start, Math.min(node.end, node.start + 120));
    return <span className={css.preview}>{preview}</span>;
  }
  if (node.kind !== 'string') {
    return <span className={css[node.kind]}>{text.slice(node.start, node.end)}</span>;
  }
  const isMore = node.end - node.start > SHOWN_CHARACTERS;
  const value = stringOf(text, node, isLong ? Infinity : SHOWN_CHARACTERS);
  const href = isMore ? undefined : refHref(value);
  return (
    <span className={css.string}>
      {href === undefined ? value : <a href={href}>{value}</a>}
      {isMore && (
        <button type="button" className={css.more} onClick={() => setIsLong(!isLong)}>
          {isLong ? 'less' : 'more'}
        </button>
      )}
      {node.isCut && <span className={css.note}> (cut)</span>}
    </span>
  );
}

interface SelectedProps {
  readonly projectId: string;
  readonly text: string;
  readonly path: string;
  readonly row: JsonRow;
}

/** What can be done with the selected value. */
function Selected({ projectId, text, path, row: { node } }: SelectedProps) {
  const router = useRouter();
  const value = (): string =>
    node.kind === 'string' ? stringOf(text, node) : text.slice(node.start, node.end);
  const filter = () => {
    const compared =
      node.kind === 'string' ? value() : (JSON.parse(value()) as number | boolean | null);
    const q = printFilter({ $eq: [field(path), literal(compared)] });
    router.history.push(`/${projectId}/weave/traces${printSearch({ q, calls: 'all' })}`);
  };
  const isScalar = node.kind !== 'object' && node.kind !== 'array';
  return (
    <div className={css.actions}>
      <code>{path}</code>
      <CopyButton label="Copy path" text={path} />
      <CopyButton label="Copy value" text={value} />
      {isScalar && !node.isCut && (
        <button type="button" onClick={filter}>
          Calls with this value
        </button>
      )}
    </div>
  );
}

function useSelectPath(): (path: string | undefined) => void {
  const navigate = useNavigate();
  return (path) =>
    void navigate({
      to: '.',
      search: (search: Record<string, string | undefined>) => ({ ...search, path }),
      replace: true,
      resetScroll: false,
    } as Parameters<typeof navigate>[0]);
}
