declare const UNIT: unique symbol;

/** Microseconds since 1970. */
export type Micros = number & { readonly [UNIT]: 'microseconds' };

/** Milliseconds since 1970, as `Date.now()` returns them. */
export type Millis = number & { readonly [UNIT]: 'milliseconds' };

/** States the unit of a number; the value stays the same. */
export const micros = (value: number): Micros => value as Micros;
export const millis = (value: number): Millis => value as Millis;

export const microsOf = (time: Millis): Micros => micros(time * 1000);
export const millisOf = (time: Micros): Millis => millis(Math.floor(time / 1000));

export const nowMillis = (): Millis => millis(Date.now());

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s?(Z|[+-]\d\d(?::?\d\d)?))?)?$/i;

/** The time of an ISO 8601 date-time, or undefined. Without an offset it is UTC. */
export function parseTimestamp(text: string): Micros | undefined {
  const parts = ISO.exec(text);
  if (parts === null) return undefined;
  const [year, month, day] = [+parts[1]!, +parts[2]!, +parts[3]!];
  const [hour, minute, second] = [+(parts[4] ?? 0), +(parts[5] ?? 0), +(parts[6] ?? 0)];
  if (!isRealDate(year, month, day) || hour > 23 || minute > 59 || second > 59) return undefined;
  const shift = offsetMinutes(parts[8]);
  if (shift === undefined) return undefined;
  const whole = Date.UTC(year, month - 1, day, hour, minute, second);
  const fraction = parts[7] === undefined ? 0 : Number(parts[7].slice(0, 6).padEnd(6, '0'));
  return micros((whole - shift * 60_000) * 1000 + fraction);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Date.UTC would accept February 30, and it reads year 50 as 1950. */
function isRealDate(year: number, month: number, day: number): boolean {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
  return year >= 100 && day >= 1 && day <= last;
}

function offsetMinutes(offset: string | undefined): number | undefined {
  if (offset === undefined || offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

const MINUTE = 60_000_000;
const printed = { minute: Number.NaN, text: '' };

/** A time as the wire prints it: UTC, six digits, Z. Most times of a response are in the minute of the one before. */
export function printTimestamp(time: Micros): string {
  const minute = Math.floor(time / MINUTE);
  if (minute !== printed.minute) {
    printed.text = new Date(minute * 60_000).toISOString().slice(0, -'00.000Z'.length);
    printed.minute = minute;
  }
  const digits = String(100_000_000 + time - minute * MINUTE);
  return `${printed.text}${digits.slice(1, 3)}.${digits.slice(3)}Z`;
}
