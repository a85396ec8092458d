import type { Micros } from '@app/wire';
import type { ByteWriter } from './byte-writer.js';

/**
 * How the values of a column are written in ClickHouse's Native format. Most types have one stream of values; a list has its ends
 * and then the streams of its elements.
 */
export interface Column<T> {
  /** ClickHouse converts values of another type than that of the table's column. */
  readonly type: string;
  readonly streams: number;
  /** Writes one value to the streams from number `first` on. */
  readonly write: (to: readonly ByteWriter[], first: number, value: T) => void;
}

function scalar<T>(type: string, write: (to: ByteWriter, value: T) => void): Column<T> {
  return { type, streams: 1, write: (to, first, value) => write(to[first]!, value) };
}

export const asText = scalar<string | Buffer>('String', (to, value) => to.text(value));
export const asUInt8 = scalar<number>('UInt8', (to, value) => to.uint8(value));
export const asBool = scalar<boolean>('Bool', (to, value) => to.uint8(value ? 1 : 0));
export const asUInt32 = scalar<number>('UInt32', (to, value) => to.uint32(value));
export const asUInt64 = scalar<number | bigint>('UInt64', (to, value) => to.uint64(value));
export const asInt64 = scalar<number | bigint>('Int64', (to, value) => to.int64(value));
export const asFloat64 = scalar<number>('Float64', (to, value) => to.float64(value));
export const asMicros = scalar<Micros>("DateTime64(6, 'UTC')", (to, value) => to.uint64(value));

const DECIMAL = /^(-?\d+)(?:\.(\d{1,18}))?$/;

/** Decimal text such as 0.0000025. */
export const asDecimal18 = scalar<string>('Decimal(38, 18)', (to, value) => {
  const [, whole, fraction = ''] = DECIMAL.exec(value) ?? [];
  if (whole === undefined)
    throw new RangeError(`${value.slice(0, 60)} is not a decimal of 18 places`);
  writeUnits18(to, BigInt.asIntN(128, BigInt(whole + fraction.padEnd(18, '0'))));
});

/** Whole units of 10^-18. */
export const asUnits18 = scalar<bigint>('Decimal(38, 18)', writeUnits18);

function writeUnits18(to: ByteWriter, units: bigint): void {
  to.uint64(BigInt.asUintN(64, units));
  to.int64(units >> 64n);
}

/** 16 bytes from a hex string. */
export const asId16 = scalar<string>('FixedString(16)', (to, value) => to.hex(value));

export function asEnum8<T extends string>(members: Readonly<Record<T, number>>): Column<T> {
  const names = Object.entries(members).map(([name, number]) => `'${name}' = ${String(number)}`);
  return scalar(`Enum8(${names.join(', ')})`, (to, value) => to.uint8(members[value]));
}

export function asArray<T>({ type, streams, write }: Column<T>): Column<readonly T[]> {
  return {
    type: `Array(${type})`,
    streams: 1 + streams,
    write: (to, first, values) => {
      const { length } = values;
      to[first]!.endOfList(length);
      // Most lists are empty, and an iterator is an object of its own.
      for (let i = 0; i < length; i++) write(to, first + 1, values[i]!);
    },
  };
}

export function asMap<T>({ type, streams, write }: Column<T>): Column<ReadonlyMap<string, T>> {
  return {
    type: `Map(String, ${type})`,
    streams: 2 + streams,
    write: (to, first, entries) => {
      to[first]!.endOfList(entries.size);
      for (const [key, value] of entries) {
        to[first + 1]!.text(key);
        write(to, first + 2, value);
      }
    },
  };
}

/** An object with these members. */
export function asTuple<T extends object>(members: Columns<T>): Column<T> {
  const columns = Object.entries(members) as [keyof T & string, Column<T[keyof T & string]>][];
  return {
    type: `Tuple(${columns.map(([name, { type }]) => `${name} ${type}`).join(', ')})`,
    streams: columns.reduce((sum, [, { streams }]) => sum + streams, 0),
    write: (to, first, value) => {
      let stream = first;
      for (const [name, { write, streams }] of columns) {
        write(to, stream, value[name]);
        stream += streams;
      }
    },
  };
}

/** A part of a buffer that may have more. */
export interface ByteRange {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Entries of a map that are already encoded: all keys, and all values. */
export interface EncodedMap {
  readonly size: number;
  readonly keys: ByteRange;
  readonly values: ByteRange;
}

export function asEncodedMap({ type }: Column<never>): Column<EncodedMap> {
  return {
    type: `Map(String, ${type})`,
    streams: 3,
    write: (to, first, { size, keys, values }) => {
      to[first]!.endOfList(size);
      to[first + 1]!.part(keys.bytes, keys.start, keys.end);
      to[first + 2]!.part(values.bytes, values.start, values.end);
    },
  };
}

/** One encoder per member. The columns of a table are in the order of the insert. */
type Columns<Row> = { readonly [Name in keyof Row & string]-?: Column<Row[Name]> };

export interface Table<Row> {
  readonly name: string;
  readonly columns: Columns<Row>;
}
