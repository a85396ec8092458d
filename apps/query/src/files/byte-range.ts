/** Bytes from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The range that a Range header requests; the whole file for a header that is not supported (several ranges, other
 * units); undefined when the range is not satisfiable.
 */
export function rangeIn(header: string | undefined, size: number): ByteRange | undefined {
  const whole = { start: 0, end: size };
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (match === null) return whole;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return whole;
  if (from === '')
    return Number(to) === 0 ? undefined : { start: Math.max(0, size - Number(to)), end: size };
  const start = Number(from);
  const end = to === '' ? size : Math.min(size, Number(to) + 1);
  return start < size && start < end ? { start, end } : undefined;
}
