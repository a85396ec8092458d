const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s?(Z|[+-]\d\d(?::?\d\d)?))?)?$/i;

/** Microseconds since 1970 of an ISO 8601 date-time, or undefined. Without an offset it is UTC. */
export function parseInstant(text: string): number | undefined {
  const parts = ISO.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = parts;
  const whole = Date.UTC(+year!, +month! - 1, +day!, +hour, +minute, +second);
  if (!isRealDate(whole, [+year!, +month!, +day!, +hour, +minute, +second])) return undefined;
  const shift = offsetMinutes(offset);
  if (shift === undefined) return undefined;
  return (whole - shift * 60_000) * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

/** Date.UTC turns February 30 into March 2 and year 50 into 1950; a date that was not there before is not a date. */
function isRealDate(ms: number, [year, month, day, hour, minute, second]: number[]): boolean {
  const date = new Date(ms);
  return (
    date.getUTCFullYear() === year &&
    date.getUTCMonth() + 1 === month &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  );
}

function offsetMinutes(offset: string | undefined): number | undefined {
  if (offset === undefined || offset.toUpperCase() === 'Z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

/** The wire's way to print a moment: UTC, six digits, Z. */
export function printInstant(micros: number): string {
  const ms = Math.floor(micros / 1000);
  const rest = String(micros - ms * 1000).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${rest}Z`);
}
