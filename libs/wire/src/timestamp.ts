const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s?(Z|[+-]\d\d(?::?\d\d)?))?)?$/i;

/** Microseconds since 1970 of an ISO 8601 date-time, or undefined. Without an offset it is UTC. */
export function parseTimestamp(text: string): number | undefined {
  const parts = ISO.exec(text);
  if (parts === null) return undefined;
  const [year, month, day] = [+parts[1]!, +parts[2]!, +parts[3]!];
  const [hour, minute, second] = [+(parts[4] ?? 0), +(parts[5] ?? 0), +(parts[6] ?? 0)];
  if (!isRealDate(year, month, day) || hour > 23 || minute > 59 || second > 59) return undefined;
  const shift = offsetMinutes(parts[8]);
  if (shift === undefined) return undefined;
  const whole = Date.UTC(year, month - 1, day, hour, minute, second);
  const fraction = parts[7] === undefined ? 0 : Number(parts[7].slice(0, 6).padEnd(6, '0'));
  return (whole - shift * 60_000) * 1000 + fraction;
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

/** The wire's way to print a moment: UTC, six digits, Z. */
export function printTimestamp(micros: number): string {
  const ms = Math.floor(micros / 1000);
  const rest = String(micros - ms * 1000).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${rest}Z`);
}
