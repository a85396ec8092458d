import { useEffect, useRef, type KeyboardEvent } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { formatCount, formatDuration, formatMoney } from '../format.js';
import { useKeys } from '../ui/keys.js';
import { labelOf, statusOf, type TraceTree } from './trace-tree.js';
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
  readonly onSelect: (row: number) => void;
  readonly onFold: (row: number, isFolded: boolean) => void;
}

/** Tree and waterfall on one scroll. Only the visible rows exist; each says its level and place. */
export function TreeView(props: TreeViewProps) {
  const { tree, rows, folded, selected, onSelect, onFold } = props;
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
    action();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });

  return (
    <div className={css.view}>
      <TimeScale length={tree.length} />
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

function TimeScale({ length }: { readonly length: number }) {
  return (
    <div className={css.scale} aria-hidden>
      <span className={css.scaleTree}>Call</span>
      <span className={css.ticks}>
        {Array.from({ length: TICKS }, (_, i) => (
          <span key={i}>{formatDuration((length * i) / TICKS / 1000)}</span>
        ))}
        <span>{formatDuration(length / 1000)}</span>
      </span>
    </div>
  );
}

interface RowProps extends TreeViewProps {
  readonly row: number;
  readonly top: number;
}

function Row({ tree, row, top, folded, selected, matches, critical, onSelect, onFold }: RowProps) {
  const hasChildren = tree.size[row]! > 1;
  const isFolded = folded.has(row);
  const status = statusOf(tree, row);
  const depth = tree.depth[row]!;
  const duration = tree.duration[row]!;
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
          {!Number.isNaN(cost) && <span>{formatMoney(cost)}</span>}
          <span>{duration < 0 ? '…' : formatDuration(duration / 1000)}</span>
        </span>
      </span>
      <span className={css.lane}>
        <span
          className={`${css.bar} ${status === 'error' ? css.barError : ''} ${critical.has(row) ? '' : css.aside}`}
          style={barOf(tree, row)}
        />
      </span>
    </div>
  );
}

function barOf(
  { start, duration, length }: TraceTree,
  row: number,
): { left: string; width: string } {
  const whole = Math.max(1, length);
  const micros = duration[row]! < 0 ? length - start[row]! : duration[row]!;
  return { left: `${(start[row]! / whole) * 100}%`, width: `${(micros / whole) * 100}%` };
}
