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
  return parseCommon(text) ?? parseAny(text);
}

const ZERO = 0x30;
const HYPHEN = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const UPPER_T = 0x54;
const UPPER_Z = 0x5a;
const SECONDS_END = '2026-03-01T10:00:00'.length;
/** By the number of digits of a fraction. */
const FRACTION_UNITS = [0, 100_000, 10_000, 1000, 100, 10, 1] as const;

/** The same for the forms that SDKs send, without a RegExp; undefined for all others. */
function parseCommon(text: string): Micros | undefined {
  if (!hasSeparators(text)) return undefined;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 7);
  const day = digitsAt(text, 8, 10);
  const hour = digitsAt(text, 11, 13);
  const minute = digitsAt(text, 14, 16);
  const second = digitsAt(text, 17, SECONDS_END);
  const isTime = hour <= 23 && minute <= 59 && second <= 59;
  if (!isTime || !isRealDate(year, month, day)) return undefined;
  const end = endOfFraction(text);
  if (end === -1 || !isUtcFrom(text, end)) return undefined;
  const seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
  return micros(seconds * 1_000_000 + fractionMicros(text, end));
}

const DAYS_TO_1970 = 719_468;

/** As Date.UTC, which takes as long as all the rest. Years are counted from March, so that a leap day is the last of its year. */
function daysSince1970(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  const daysToMonth = Math.floor((153 * ((month + 9) % 12) + 2) / 5);
  return 365 * years + leapDays + daysToMonth + day - 1 - DAYS_TO_1970;
}

const hasSeparators = (text: string): boolean =>
  text.charCodeAt(4) === HYPHEN &&
  text.charCodeAt(7) === HYPHEN &&
  text.charCodeAt(10) === UPPER_T &&
  text.charCodeAt(13) === COLON &&
  text.charCodeAt(16) === COLON;

/** The number at these positions; NaN when it has anything but digits. */
function digitsAt(text: string, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function isDigitAt(text: string, at: number): boolean {
  const digit = text.charCodeAt(at) - ZERO;
  return digit >= 0 && digit <= 9;
}

/** One past the fraction, which may be absent; -1 when it does not have one to nine digits. */
function endOfFraction(text: string): number {
  if (text.charCodeAt(SECONDS_END) !== DOT) return SECONDS_END;
  const first = SECONDS_END + 1;
  let at = first;
  while (isDigitAt(text, at)) at++;
  return at === first || at > first + 9 ? -1 : at;
}

const isUtcFrom = (text: string, at: number): boolean =>
  at === text.length ||
  (at + 1 === text.length && text.charCodeAt(at) === UPPER_Z) ||
  (at + 6 === text.length && text.endsWith('+00:00'));

function fractionMicros(text: string, end: number): number {
  if (end === SECONDS_END) return 0;
  const first = SECONDS_END + 1;
  const digits = Math.min(end - first, 6);
  return digitsAt(text, first, first + digits) * FRACTION_UNITS[digits]!;
}

function parseAny(text: string): Micros | undefined {
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
