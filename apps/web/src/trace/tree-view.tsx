import { useEffect, useRef, type KeyboardEvent } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { formatCount, formatDuration, formatMoney } from '../format.js';
import { useKeys } from '../ui/keys.js';
import { labelOf, statusOf, type TraceTree } from './trace-tree.js';
import type { Zoom } from './zoom.js';
import css from './tree-view.module.css';

const ROW_HEIGHT = 28;
const INDENT = 14;
const INDENT_MAX = 16;
const TICKS = 4;

interface TreeViewProps {
  readonly tree: TraceTree;
  /** The visible rows, in order. */
  readonly rows: Int32Array;
  readonly folded: ReadonlySet<number>;
  readonly selected: number;
  readonly matches: ReadonlySet<number>;
  readonly critical: ReadonlySet<number>;
  readonly zoom: Zoom;
  /** Since the start of the trace, in µs. */
  readonly elapsed: number;
  readonly onSelect: (row: number) => void;
  readonly onFold: (row: number, isFolded: boolean) => void;
  /** Every call of the selected call's op. */
  readonly onFoldOp: () => void;
}

/** Tree and waterfall on one scroll. Only the visible rows exist; each says its level and place. */
export function TreeView(props: TreeViewProps) {
  const { tree, rows, folded, selected, zoom, onSelect, onFold, onFoldOp } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
  });
  const place = placeOf(rows, selected);
  useEffect(() => {
    if (place >= 0) virtual.scrollToIndex(place, { align: 'auto' });
  }, [place, virtual]);

  const move = (step: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, place + step));
    onSelect(rows[next]!);
  };
  const hasChildren = tree.size[selected]! > 1;
  const isFolded = folded.has(selected);
  const actions: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    PageDown: () => move(20),
    PageUp: () => move(-20),
    Home: () => move(-rows.length),
    End: () => move(rows.length),
    ArrowRight: () => {
      if (hasChildren && isFolded) onFold(selected, false);
      else if (hasChildren) move(1);
    },
    ArrowLeft: () => {
      if (hasChildren && !isFolded) onFold(selected, true);
      else if (tree.parent[selected]! >= 0) onSelect(tree.parent[selected]!);
    },
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.shiftKey && event.key === 'ArrowLeft') onFoldOp();
    else action();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });

  return (
    <div className={css.view}>
      <TimeScale zoom={zoom} />
      <div ref={scroller} className={css.scroll}>
        <div
          role="tree"
          aria-label="Calls of the trace"
          aria-activedescendant={`call-${selected}`}
          tabIndex={0}
          className={css.tree}
          style={{ height: virtual.getTotalSize() }}
          onKeyDown={onKeyDown}
        >
          {virtual.getVirtualItems().map(({ index, start }) => (
            <Row key={rows[index]} {...props} row={rows[index]!} top={start} />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Rows are sorted, so that a search by halves finds the place. */
function placeOf(rows: Int32Array, row: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (rows[middle] === row) return middle;
    if (rows[middle]! < row) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function TimeScale({ zoom: { from, to } }: { readonly zoom: Zoom }) {
  return (
    <div className={css.scale} aria-hidden>
      <span className={css.scaleTree}>Call</span>
      <span className={css.ticks}>
        {Array.from({ length: TICKS }, (_, i) => (
          <span key={i}>{formatDuration((from + ((to - from) * i) / TICKS) / 1000)}</span>
        ))}
        <span>{formatDuration(to / 1000)}</span>
      </span>
    </div>
  );
}

interface RowProps extends TreeViewProps {
  readonly row: number;
  readonly top: number;
}

function Row(props: RowProps) {
  const { tree, row, top, folded, selected, matches, critical, zoom, elapsed } = props;
  const { onSelect, onFold } = props;
  const hasChildren = tree.size[row]! > 1;
  const isFolded = folded.has(row);
  const status = statusOf(tree, row);
  const depth = tree.depth[row]!;
  const duration = tree.duration[row]!;
  const took = duration < 0 ? Math.max(0, elapsed - tree.start[row]!) : duration;
  const cost = tree.cost[row]!;
  const below = tree.errors[row]! - (status === 'error' ? 1 : 0);
  return (
    <div
      id={`call-${row}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-setsize={tree.siblings[row]}
      aria-posinset={tree.place[row]}
      aria-expanded={hasChildren ? !isFolded : undefined}
      aria-selected={row === selected}
      className={`${css.row} ${matches.has(row) ? css.match : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onSelect(row)}
    >
      <span className={css.name} style={{ paddingLeft: 8 + Math.min(depth, INDENT_MAX) * INDENT }}>
        <span
          aria-hidden
          className={css.fold}
          onClick={(event) => {
            if (!hasChildren) return;
            event.stopPropagation();
            onFold(row, !isFolded);
          }}
        >
          {hasChildren ? (isFolded ? '▸' : '▾') : ''}
        </span>
        {depth > INDENT_MAX && <span className={css.deep}>{depth}</span>}
        <span className={`${css.label} ${css[status]}`}>{labelOf(tree, row)}</span>
        {status === 'error' && <span className={css.badge}>error</span>}
        {status === 'running' && <span className={css.badgeRunning}>running</span>}
        {isFolded && <span className={css.more}>{formatCount(tree.size[row]! - 1)} inside</span>}
        {below > 0 && (isFolded || status === 'descendant_error') && (
          <span className={css.more}>{formatCount(below)} errors</span>
        )}
        <span className={css.figures}>
          {tree.tokens[row]! > 0 && (
            <span className={css.wide}>{formatCount(tree.tokens[row]!)} tokens</span>
          )}
          {!Number.isNaN(cost) && <span>{formatMoney(cost)}</span>}
          {hasChildren && duration >= 0 && (
            <span className={css.wide}>self {formatDuration(tree.self[row]! / 1000)}</span>
          )}
          <span>{formatDuration(took / 1000)}</span>
        </span>
      </span>
      <span className={css.lane}>
        <span
          className={`${css.bar} ${status === 'error' ? css.barError : ''} ${critical.has(row) ? '' : css.aside}`}
          style={barOf(tree, row, zoom)}
        />
      </span>
    </div>
  );
}

function barOf(
  { start, duration, length }: TraceTree,
  row: number,
  { from, to }: Zoom,
): { left: string; width: string } {
  const micros = duration[row]! < 0 ? length - start[row]! : duration[row]!;
  const share = (part: number) => `${(part / Math.max(1, to - from)) * 100}%`;
  return { left: share(start[row]! - from), width: share(micros) };
}
