import { useRef, useState, type PointerEvent } from 'react';
import type { Histogram as Buckets } from '../api/types.js';
import { formatCount, formatTime } from '../format.js';
import css from './histogram.module.css';

const HEIGHT = 48;

interface HistogramProps {
  readonly data: Buckets;
  readonly onRange: (from: string, to: string) => void;
}

/** Calls over time, errors at the bottom of each bar. Dragging over it chooses a time range; so do the two fields. */
export function Histogram({ data, onRange }: HistogramProps) {
  const { calls, errors, start, bucket_seconds } = data;
  const brush = useBrush(calls.length, (first, last) =>
    onRange(timeOf(data, first), timeOf(data, last + 1)),
  );
  const max = Math.max(1, ...calls);
  const height = (count: number) => (count === 0 ? 0 : Math.max(2, (count / max) * HEIGHT));
  const hovered = brush.hovered;
  return (
    <div className={css.histogram}>
      <svg
        ref={brush.svg}
        role="img"
        aria-label={labelOf(data)}
        viewBox={`0 0 ${Math.max(1, calls.length)} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={css.chart}
        {...brush.handlers}
      >
        {calls.map((count, index) => {
          const failed = errors[index] ?? 0;
          return (
            // The buckets of one histogram have no other identity than their place.
            <g key={index}>
              <rect
                className={css.calls}
                x={index + 0.1}
                width={0.8}
                y={HEIGHT - height(count)}
                height={height(count)}
              />
              <rect
                className={css.errors}
                x={index + 0.1}
                width={0.8}
                y={HEIGHT - height(failed)}
                height={height(failed)}
              />
            </g>
          );
        })}
        {brush.selected && (
          <rect
            className={css.brush}
            x={brush.selected[0]}
            width={brush.selected[1] - brush.selected[0] + 1}
            y={0}
            height={HEIGHT}
          />
        )}
      </svg>
      <div className={css.axis} aria-hidden>
        <span>{calls.length > 0 ? formatTime(start, Date.now()) : ''}</span>
        <span>
          {hovered === undefined
            ? calls.length > 0 && 'drag to choose a time range'
            : `${formatTime(timeOf(data, hovered), Date.now())} · ${formatCount(calls[hovered] ?? 0)} calls, ${formatCount(errors[hovered] ?? 0)} errors · ${Math.round(bucket_seconds)} s`}
        </span>
        <span>{calls.length > 0 ? formatTime(data.end, Date.now()) : ''}</span>
      </div>
    </div>
  );
}

const timeOf = ({ start, bucket_seconds }: Buckets, index: number): string =>
  new Date(Date.parse(start) + index * bucket_seconds * 1000).toISOString();

function labelOf({ calls, errors, start, end, total, total_errors }: Buckets): string {
  if (calls.length === 0) return 'No calls';
  const peak = calls.indexOf(Math.max(...calls));
  return (
    `${formatCount(total)} calls with ${formatCount(total_errors)} errors from ${start} to ${end}; ` +
    `the busiest of ${calls.length} intervals has ${formatCount(calls[peak] ?? 0)} calls and ${formatCount(errors[peak] ?? 0)} errors`
  );
}

type Selection = readonly [first: number, last: number];
const inOrder = (a: number, b: number): Selection => [Math.min(a, b), Math.max(a, b)];

function useBrush(count: number, onEnd: (first: number, last: number) => void) {
  const svg = useRef<SVGSVGElement>(null);
  const [from, setFrom] = useState<number | undefined>();
  // Not state: the pointer may be up again before React has rendered.
  const begun = useRef<number>(undefined);
  const [hovered, setHovered] = useState<number | undefined>();
  const indexOf = (event: PointerEvent): number => {
    const { left, width } = svg.current!.getBoundingClientRect();
    const place = Math.floor(((event.clientX - left) / width) * count);
    return Math.min(count - 1, Math.max(0, place));
  };
  const setBegin = (index: number | undefined) => {
    begun.current = index;
    setFrom(index);
  };
  const selected = from === undefined || hovered === undefined ? undefined : inOrder(from, hovered);
  return {
    svg,
    hovered,
    selected,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (count === 0 || event.button !== 0) return;
        svg.current!.setPointerCapture(event.pointerId);
        setBegin(indexOf(event));
        setHovered(indexOf(event));
      },
      onPointerMove: (event: PointerEvent) => count > 0 && setHovered(indexOf(event)),
      onPointerLeave: () => setHovered(undefined),
      onPointerCancel: () => setBegin(undefined),
      onPointerUp: (event: PointerEvent) => {
        if (begun.current === undefined) return;
        const chosen = inOrder(begun.current, indexOf(event));
        setBegin(undefined);
        onEnd(...chosen);
      },
    },
  };
}
