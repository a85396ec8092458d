import { useEffect, useRef, useState } from 'react';

/** Keys that follow each other faster than this move only the cursor. */
const SETTLE_MS = 250;

/**
 * The row under the cursor. It follows every key at once; the address and the panel, which read the call from the
 * server, follow the first key and then the last of a series.
 */
export function useCursor(
  selected: number,
  onSettle: (row: number) => void,
): readonly [row: number, move: (row: number) => void] {
  const [cursor, setCursor] = useState(selected);
  const series = useRef<{ until: number; timer?: number | undefined }>({ until: 0 });
  const settle = useRef(onSettle);
  useEffect(() => {
    settle.current = onSettle;
  });
  // While a later row is about to be selected, an address that arrives is that of an earlier key.
  useEffect(() => {
    if (series.current.timer === undefined) setCursor(selected);
  }, [selected]);
  useEffect(() => () => clearTimeout(series.current.timer), []);
  const move = (row: number): void => {
    setCursor(row);
    const now = performance.now();
    const isFirst = now >= series.current.until;
    clearTimeout(series.current.timer);
    series.current = { until: now + SETTLE_MS };
    if (isFirst) settle.current(row);
    else
      series.current.timer = window.setTimeout(() => {
        series.current.timer = undefined;
        settle.current(row);
      }, SETTLE_MS);
  };
  return [cursor, move];
}
