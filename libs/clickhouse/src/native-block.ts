import { ByteWriter } from './byte-writer.js';
import type { Column, Table } from './columns.js';

/** Most columns of an insert are small. Those that are not have grown by the time they are used again. */
const STREAM_BYTES = 1024;
/** A stream of at least this many bytes is sent from where it is; smaller ones are copied together. */
const SENT_ALONE_BYTES = 16 * 1024;

/**
 * The rows of one insert in ClickHouse's Native format, which has all values of a column in one place. ClickHouse reads it with
 * half the CPU of a format that goes row by row.
 */
export class NativeBlock<Row> {
  private readonly columns: readonly [keyof Row & string, Column<Row[keyof Row & string]>][];
  private readonly streams: readonly ByteWriter[];
  private readonly frame = new ByteWriter(STREAM_BYTES);
  private rows = 0;

  constructor(table: Table<Row>) {
    this.columns = Object.entries(table.columns) as [
      keyof Row & string,
      Column<Row[keyof Row & string]>,
    ][];
    const count = this.columns.reduce((sum, [, { streams }]) => sum + streams, 0);
    this.streams = Array.from({ length: count }, () => new ByteWriter(STREAM_BYTES));
  }

  get length(): number {
    return this.streams.reduce((sum, { length }) => sum + length, this.frame.length);
  }

  get capacity(): number {
    return this.streams.reduce((sum, { capacity }) => sum + capacity, this.frame.capacity);
  }

  add(rows: readonly Row[]): void {
    let first = 0;
    for (const [name, { write, streams }] of this.columns) {
      for (let i = 0; i < rows.length; i++) write(this.streams, first, rows[i]![name]);
      first += streams;
    }
    this.rows += rows.length;
  }

  /** The bytes of the block in order, as views that are valid until the next change. */
  written(): Buffer[] {
    const { frame } = this;
    frame.clear();
    const ends: (readonly [end: number, alone: ByteWriter])[] = [];
    frame.varUint(this.columns.length);
    frame.varUint(this.rows);
    let first = 0;
    for (const [name, { type, streams }] of this.columns) {
      frame.text(name);
      frame.text(type);
      for (const stream of this.streams.slice(first, first + streams)) {
        if (stream.length < SENT_ALONE_BYTES) frame.raw(stream.written());
        else ends.push([frame.length, stream]);
      }
      first += streams;
    }
    return interleaved(frame.written(), ends);
  }

  clear(): void {
    for (const stream of this.streams) stream.clear();
    this.frame.clear();
    this.rows = 0;
  }
}

/** The frame with each large stream at its place. */
function interleaved(
  frame: Buffer,
  ends: readonly (readonly [end: number, alone: ByteWriter])[],
): Buffer[] {
  let at = 0;
  const pieces = ends.flatMap(([end, alone]) => {
    const before = frame.subarray(at, end);
    at = end;
    return [before, alone.written()];
  });
  return [...pieces, frame.subarray(at)].filter(({ length }) => length > 0);
}

export function insertStatement<Row>({ name, columns }: Table<Row>): string {
  return `INSERT INTO ${name} (${Object.keys(columns).join(', ')}) FORMAT Native`;
}
