/** The part of a trace's time that the waterfall shows, in µs. */
export interface Zoom {
  readonly from: number;
  readonly to: number;
}

/** Closer than this shows nothing more. */
const LENGTH_MIN = 10;

/** `1000-250000` of an address; the whole trace for any other text. */
export function zoomOf(text: string | undefined, length: number): Zoom {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text ?? '') ?? [];
  return from === undefined
    ? { from: 0, to: Math.max(1, length) }
    : bounded({ from: Number(from), to: Number(to) }, length);
}

/** The text for the address; empty for the whole trace. */
export function zoomText({ from, to }: Zoom, length: number): string {
  return from <= 0 && to >= length ? '' : `${Math.round(from)}-${Math.round(to)}`;
}

/** Makes the part shorter or longer around its middle. */
export function zoomed({ from, to }: Zoom, factor: number, length: number): Zoom {
  const middle = (from + to) / 2;
  const half = ((to - from) / 2) * factor;
  return bounded({ from: middle - half, to: middle + half }, length);
}

/** Moves the part by a share of its length. */
export function panned({ from, to }: Zoom, share: number, length: number): Zoom {
  const step = (to - from) * share;
  const allowed = Math.max(-from, Math.min(length - to, step));
  return { from: from + allowed, to: to + allowed };
}

function bounded({ from, to }: Zoom, length: number): Zoom {
  const whole = Math.max(1, length);
  const start = Math.min(Math.max(0, from), Math.max(0, whole - LENGTH_MIN));
  return { from: start, to: Math.min(whole, Math.max(start + Math.min(LENGTH_MIN, whole), to)) };
}
