/**
 * Rows as ClickHouse's RowBinary, written into one growing buffer: a quarter cheaper than JSONEachRow and exact for
 * any bytes. A table is described once, as a list of columns; names, order and encoding all come from that list.
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

  /** What was written so far; a view that the next write may invalidate. */
  written(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  uint8(value: number): void {
    this.room(1);
    this.bytes[this.at++] = value;
  }

  uint32(value: number): void {
    this.room(4);
    this.at = this.bytes.writeUInt32LE(value, this.at);
  }

  uint64(value: number | bigint): void {
    this.room(8);
    if (typeof value === 'bigint') {
      this.at = this.bytes.writeBigUInt64LE(value, this.at);
      return;
    }
    this.bytes.writeUInt32LE(value % 0x1_0000_0000, this.at);
    this.bytes.writeUInt32LE(Math.floor(value / 0x1_0000_0000), this.at + 4);
    this.at += 8;
  }

  int64(value: number | bigint): void {
    this.room(8);
    this.at = this.bytes.writeBigInt64LE(BigInt(value), this.at);
  }

  float64(value: number): void {
    this.room(8);
    this.at = this.bytes.writeDoubleLE(value, this.at);
  }

  varUint(value: number): void {
    this.room(5);
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.at++] = rest;
  }

  text(value: string | Buffer): void {
    if (typeof value !== 'string') {
      this.varUint(value.length);
      this.raw(value);
      return;
    }
    const length = Buffer.byteLength(value);
    this.varUint(length);
    this.room(length);
    this.at += this.bytes.write(value, this.at);
  }

  /** A stretch of `from` as a text. */
  sized(from: Buffer, start: number, end: number): void {
    this.varUint(end - start);
    this.part(from, start, end);
  }

  raw(value: Buffer): void {
    this.part(value, 0, value.length);
  }

  /** Copies a stretch of `from`; a short one byte by byte, which is quicker than asking for it. */
  part(from: Buffer, start: number, end: number): void {
    const length = end - start;
    this.room(length);
    if (length > 32) from.copy(this.bytes, this.at, start, end);
    else for (let i = 0; i < length; i++) this.bytes[this.at + i] = from[start + i]!;
    this.at += length;
  }

  hex(value: string): void {
    this.room(value.length >>> 1);
    this.at += this.bytes.write(value, this.at, 'hex');
  }

  /** Forgets what was written after the first `length` bytes. */
  cutTo(length: number): void {
    this.at = length;
  }

  private room(needed: number): void {
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
/** Microseconds since 1970, for DateTime64(6). */
export const asMicros: Write<number> = (to, value) => to.uint64(value);
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

/** 16 bytes given as hex, for FixedString(16). */
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

/** The entries of a map as RowBinary has them: made where they are found, copied where they are needed. */
export interface EncodedMap {
  readonly size: number;
  readonly bytes: Buffer;
}

export const asEncodedMap: Write<EncodedMap> = (to, { size, bytes }) => {
  to.varUint(size);
  to.raw(bytes);
};

/** One writer per column, in the order of the insert. */
export type Columns<Row> = { readonly [Name in keyof Row & string]-?: Write<Row[Name]> };

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
