import { bind, atMicros, raw, sql } from '@app/clickhouse';
import { micros, parseTimestamp, type Micros } from '@app/wire';
import { ExprError, shown, type Place } from './expr-error.js';
import type { LiteralValue } from './expr.js';
import type { Plain } from './value.js';

export function literal(value: LiteralValue): Plain {
  if (value === null) {
    const sql = raw(`CAST(NULL, 'Nullable(String)')`);
    return { kind: 'text', literal: null, nullable: true, sql };
  }
  const [kind, type] = TYPES[typeof value as 'string' | 'number' | 'boolean'];
  return { kind, literal: value, sql: sql`${bind(type, value)}` };
}

const TYPES = {
  string: ['text', 'String'],
  number: ['number', 'Float64'],
  boolean: ['bool', 'Bool'],
} as const;

const YEAR_2299 = Date.UTC(2299, 0, 1) * 1000;
const YEAR_1900 = Date.UTC(1900, 0, 1) * 1000;

/** A time literal from unix seconds, an ISO date-time or a date. */
export function timeLiteral(value: LiteralValue, at: Place): Plain {
  const time = timeOf(value);
  if (time === undefined) {
    throw new ExprError(
      'value',
      at,
      `${shown(value)} is not a time; use unix seconds, 2026-03-01 or 2026-03-01T10:00:00Z`,
    );
  }
  const clamped = Math.min(Math.max(time, YEAR_1900), YEAR_2299);
  return { kind: 'time', sql: atMicros(micros(clamped)) };
}

function timeOf(value: LiteralValue): Micros | undefined {
  if (typeof value === 'number') return micros(Math.round(value * 1_000_000));
  return typeof value === 'string' ? parseTimestamp(value) : undefined;
}
