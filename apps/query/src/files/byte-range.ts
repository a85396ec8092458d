/** Bytes from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The stretch that a Range header asks for, the whole when it asks for nothing we understand (several ranges, other
 * units), undefined when it lies outside.
 */
export function rangeIn(header: string | undefined, size: number): ByteRange | undefined {
  const whole = { start: 0, end: size };
  const asked = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (asked === null) return whole;
  const [, from = '', to = ''] = asked;
  if (from === '' && to === '') return whole;
  if (from === '')
    return Number(to) === 0 ? undefined : { start: Math.max(0, size - Number(to)), end: size };
  const start = Number(from);
  const end = to === '' ? size : Math.min(size, Number(to) + 1);
  return start < size && start < end ? { start, end } : undefined;
}
