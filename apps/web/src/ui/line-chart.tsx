import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import css from './line-chart.module.css';

export interface Line {
  readonly label: string;
  /** One for each time; null where there is no value. */
  readonly values: readonly (number | null)[];
}

interface LineChartProps {
  readonly label: string;
  /** In seconds, in order. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  readonly formatTime: (seconds: number) => string;
  /** The pointer has chosen a time. A table beside the chart has the same for the keyboard. */
  readonly onSelect: (index: number) => void;
}

const HEIGHT = 150;
const AXIS_WIDTH = 64;
const AXIS_HEIGHT = 30;
/** Lines differ without colours, too. */
const DASHES = [[], [8, 4], [2, 3]];
const TWO_DAYS = 2 * 86_400;
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' });

/** Lines over time, drawn by uPlot. The pointer shows the values of a time, in all charts of a screen at once. */
export function LineChart(props: LineChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const current = useRef(props);
  current.current = props;
  const { label, times, lines } = props;
  const key = JSON.stringify([times, lines]);
  useEffect(() => {
    const element = place.current!;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    let chart = draw(element, current);
    const redraw = () => {
      chart.destroy();
      chart = draw(element, current);
    };
    const resized = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    resized.observe(element);
    dark.addEventListener('change', redraw);
    return () => {
      dark.removeEventListener('change', redraw);
      resized.disconnect();
      chart.destroy();
    };
  }, [key]);
  return (
    <figure className={css.figure}>
      <figcaption>{label}</figcaption>
      <div ref={place} role="img" aria-label={sentence(props)} className={css.chart} />
    </figure>
  );
}

const valuesOf = (lines: readonly Line[]) =>
  lines.flatMap(({ values }) => values.filter((value) => value !== null));

function sentence({ label, lines, format }: LineChartProps): string {
  const values = valuesOf(lines);
  return values.length === 0
    ? `${label} over time; no values`
    : `${label} over time; at most ${format(Math.max(...values))}`;
}

function draw(element: HTMLElement, current: { readonly current: LineChartProps }): UPlot {
  const { times, lines } = current.current;
  const color = colorsIn(element);
  const axis = {
    stroke: color('--muted'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1 },
  };
  const format = (value: number | null) => (value === null ? '–' : current.current.format(value));
  const chart = new UPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      cursor: { sync: { key: 'charts' }, drag: { x: false, y: false } },
      scales: { y: { range: (_, __, max) => UPlot.rangeNum(0, max > 0 ? max : 1, 0.1, true) } },
      axes: [
        { ...axis, size: AXIS_HEIGHT, values: (_, splits) => splits.map(timeLabel(times)) },
        { ...axis, size: AXIS_WIDTH, values: (_, splits) => splits.map(format) },
      ],
      series: [
        {
          label: 'From',
          value: (_, seconds: number | null) =>
            seconds === null ? '–' : current.current.formatTime(seconds),
        },
        ...lines.map(({ label }, nth) => ({
          label,
          stroke: color(`--series-${nth + 1}`),
          width: 1.5,
          dash: DASHES[nth] ?? [],
          value: (_: UPlot, value: number | null) => format(value),
        })),
      ],
    },
    [[...times], ...lines.map(({ values }) => [...values])],
    element,
  );
  chart.over.addEventListener('click', () => {
    const index = chart.cursor.idx;
    if (index !== null && index !== undefined) current.current.onSelect(index);
  });
  return chart;
}

function timeLabel(times: readonly number[]): (seconds: number) => string {
  const isShort = (times.at(-1) ?? 0) - (times[0] ?? 0) <= TWO_DAYS;
  return (seconds) => (isShort ? clock : day).format(seconds * 1000);
}

/** A canvas has no variables: these are the colours that they have now. */
function colorsIn(element: HTMLElement): (name: string) => string {
  return (name) => {
    element.style.color = `var(${name})`;
    const { color } = getComputedStyle(element);
    element.style.color = '';
    return color;
  };
}
