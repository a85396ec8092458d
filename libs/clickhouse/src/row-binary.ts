import type { Micros } from '@app/wire';

/**
 * Writes ClickHouse's RowBinary format into one growing buffer. It is a quarter cheaper than JSONEachRow and exact for
 * any bytes. A table is described once, as a list of columns with name, order and encoding.
 */
export class ByteWriter {
  private bytes: Buffer;
  private at = 0;

  constructor(capacity = 1 << 16) {
    this.bytes = Buffer.allocUnsafe(capacity);
  }

  get length(): number {
    return this.at;
  }

  get capacity(): number {
    return this.bytes.length;
  }

  /** A view of the bytes written so far. The next write may invalidate it. */
  written(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  uint8(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.at = this.bytes.writeUInt32LE(value, this.at);
  }

  uint64(value: number | bigint): void {
    this.reserve(8);
    if (typeof value === 'bigint') {
      this.at = this.bytes.writeBigUInt64LE(value, this.at);
      return;
    }
    this.bytes.writeUInt32LE(value % 0x1_0000_0000, this.at);
    this.bytes.writeUInt32LE(Math.floor(value / 0x1_0000_0000), this.at + 4);
    this.at += 8;
  }

  int64(value: number | bigint): void {
    this.reserve(8);
    this.at = this.bytes.writeBigInt64LE(BigInt(value), this.at);
  }

  float64(value: number): void {
    this.reserve(8);
    this.at = this.bytes.writeDoubleLE(value, this.at);
  }

  varUint(value: number): void {
    this.reserve(5);
    let remaining = value;
    while (remaining >= 0x80) {
      this.bytes[this.at++] = (remaining & 0x7f) | 0x80;
      remaining >>>= 7;
    }
    this.bytes[this.at++] = remaining;
  }

  text(value: string | Buffer): void {
    if (typeof value !== 'string') {
      this.varUint(value.length);
      this.raw(value);
      return;
    }
    const length = Buffer.byteLength(value);
    this.varUint(length);
    this.reserve(length);
    this.at += this.bytes.write(value, this.at);
  }

  /** Writes a range of `from` as a String: its length, then its bytes. */
  sized(from: Buffer, start: number, end: number): void {
    this.varUint(end - start);
    this.part(from, start, end);
  }

  raw(value: Buffer): void {
    this.part(value, 0, value.length);
  }

  /** Copies a range of `from`. For a short range a loop is faster than `Buffer.copy`. */
  part(from: Buffer, start: number, end: number): void {
    const length = end - start;
    this.reserve(length);
    if (length > 32) from.copy(this.bytes, this.at, start, end);
    else for (let i = 0; i < length; i++) this.bytes[this.at + i] = from[start + i]!;
    this.at += length;
  }

  hex(value: string): void {
    this.reserve(value.length >>> 1);
    this.at += this.bytes.write(value, this.at, 'hex');
  }

  /** Discards everything after the first `length` bytes. */
  truncate(length: number): void {
    this.at = length;
  }

  private reserve(needed: number): void {
    if (this.at + needed <= this.bytes.length) return;
    const bigger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + needed));
    this.bytes.copy(bigger, 0, 0, this.at);
    this.bytes = bigger;
  }
}

export type Write<T> = (to: ByteWriter, value: T) => void;

export const asText: Write<string | Buffer> = (to, value) => to.text(value);
export const asUInt8: Write<number> = (to, value) => to.uint8(value);
export const asBool: Write<boolean> = (to, value) => to.uint8(value ? 1 : 0);
export const asUInt32: Write<number> = (to, value) => to.uint32(value);
export const asUInt64: Write<number | bigint> = (to, value) => to.uint64(value);
export const asInt64: Write<number | bigint> = (to, value) => to.int64(value);
export const asFloat64: Write<number> = (to, value) => to.float64(value);
/** For DateTime64(6). */
export const asMicros: Write<Micros> = (to, value) => to.uint64(value);
const DECIMAL = /^(-?\d+)(?:\.(\d{1,18}))?$/;

/** Decimal text such as 0.0000025, for Decimal(38, 18). */
export const asDecimal18: Write<string> = (to, value) => {
  const [, whole, fraction = ''] = DECIMAL.exec(value) ?? [];
  if (whole === undefined)
    throw new RangeError(`${value.slice(0, 60)} is not a decimal of 18 places`);
  asUnits18(to, BigInt.asIntN(128, BigInt(whole + fraction.padEnd(18, '0'))));
};

/** Whole units of 10^-18, for Decimal(38, 18). */
export const asUnits18: Write<bigint> = (to, units) => {
  to.uint64(BigInt.asUintN(64, units));
  to.int64(units >> 64n);
};

/** 16 bytes from a hex string, for FixedString(16). */
export const asId16: Write<string> = (to, value) => to.hex(value);

export function asEnum8<T extends string>(members: Readonly<Record<T, number>>): Write<T> {
  return (to, value) => to.uint8(members[value]);
}

export function asArray<T>(write: Write<T>): Write<readonly T[]> {
  return (to, values) => {
    to.varUint(values.length);
    for (const value of values) write(to, value);
  };
}

export function asMap<T>(write: Write<T>): Write<ReadonlyMap<string, T>> {
  return (to, entries) => {
    to.varUint(entries.size);
    for (const [key, value] of entries) {
      to.text(key);
      write(to, value);
    }
  };
}

/** Entries of a map that are already encoded as RowBinary. */
export interface EncodedMap {
  readonly size: number;
  readonly bytes: Buffer;
}

export const asEncodedMap: Write<EncodedMap> = (to, { size, bytes }) => {
  to.varUint(size);
  to.raw(bytes);
};

/** One encoder per column, in the order of the insert. */
type Columns<Row> = { readonly [Name in keyof Row & string]-?: Write<Row[Name]> };

export interface Table<Row> {
  readonly name: string;
  readonly columns: Columns<Row>;
}

export function encodeRows<Row>(
  table: Table<Row>,
  rows: readonly Row[],
  to = new ByteWriter(),
): Buffer {
  const columns = Object.entries(table.columns) as [
    keyof Row & string,
    Write<Row[keyof Row & string]>,
  ][];
  for (const row of rows) {
    for (const [name, write] of columns) write(to, row[name]);
  }
  return to.written();
}

export function insertStatement<Row>({ name, columns }: Table<Row>): string {
  return `INSERT INTO ${name} (${Object.keys(columns).join(', ')}) FORMAT RowBinary`;
}
