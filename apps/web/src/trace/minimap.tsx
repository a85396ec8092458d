import { useEffect, useRef, useState, type PointerEvent } from 'react';
import { statusOf, type TraceTree } from './trace-tree.js';
import type { Zoom } from './zoom.js';
import css from './minimap.module.css';

const HEIGHT = 44;

interface MinimapProps {
  readonly tree: TraceTree;
  /** The visible rows, in order. */
  readonly rows: Int32Array;
  readonly zoom: Zoom;
  readonly onZoom: (zoom: Zoom) => void;
}

/** All calls of the trace at once. Dragging over it chooses the time that the waterfall shows; the buttons beside do the same. */
export function Minimap({ tree, rows, zoom, onZoom }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(canvas);
  const [drag, setDrag] = useState<Zoom | undefined>();
  // Not state: the pointer may be up again before React has rendered.
  const begun = useRef<number>(undefined);
  useEffect(() => {
    if (canvas.current !== null && width > 0) draw(canvas.current, tree, rows, width);
  }, [tree, rows, width]);
  const length = Math.max(1, tree.length);
  const timeAt = (event: PointerEvent): number => {
    const { left, width: shown } = canvas.current!.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / shown)) * length;
  };
  const end = () => {
    begun.current = undefined;
    setDrag(undefined);
  };
  const shown = drag ?? zoom;
  const { from, to } = inOrder(shown.from, shown.to);
  return (
    <div
      className={css.minimap}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        begun.current = timeAt(event);
      }}
      onPointerMove={(event) => {
        if (begun.current !== undefined) setDrag({ from: begun.current, to: timeAt(event) });
      }}
      onPointerUp={(event) => {
        if (begun.current === undefined) return;
        const chosen = inOrder(begun.current, timeAt(event));
        end();
        onZoom(chosen.to - chosen.from < length / 200 ? { from: 0, to: length } : chosen);
      }}
      onPointerCancel={end}
    >
      <canvas ref={canvas} role="img" aria-label="All calls over time" style={{ height: HEIGHT }} />
      <span
        aria-hidden
        className={css.part}
        style={{ left: `${(from / length) * 100}%`, width: `${((to - from) / length) * 100}%` }}
      />
    </div>
  );
}

const inOrder = (a: number, b: number): Zoom => ({ from: Math.min(a, b), to: Math.max(a, b) });

function useWidth(element: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** One line per pixel at most: of many calls in one line, an error is drawn last and stays visible. */
function draw(canvas: HTMLCanvasElement, tree: TraceTree, rows: Int32Array, width: number): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(HEIGHT * scale);
  const style = getComputedStyle(canvas);
  const length = Math.max(1, tree.length);
  const thickness = Math.max(scale, (canvas.height / Math.max(1, rows.length)) * 0.8);
  for (const isError of [false, true]) {
    context.fillStyle = style.getPropertyValue(isError ? '--bar-error' : '--bar');
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      if ((statusOf(tree, row) === 'error') !== isError) continue;
      const micros = tree.duration[row]! < 0 ? length - tree.start[row]! : tree.duration[row]!;
      context.fillRect(
        (tree.start[row]! / length) * canvas.width,
        (i / rows.length) * canvas.height,
        Math.max(scale, (micros / length) * canvas.width),
        isError ? Math.max(2 * scale, thickness) : thickness,
      );
    }
  }
}
