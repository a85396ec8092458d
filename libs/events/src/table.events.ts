import type { RecordFact } from './record-fact.js';

/** Rows were uploaded. The body contains them; see `encodeRowList`. */
export type RowsAdded = RecordFact<'RowsAdded', { readonly count: number }>;

/** A range of a table's row digests, from position `from` on. The body contains them; see `encodeDigestList`. */
export type TableCreated = RecordFact<
  'TableCreated',
  { readonly digest: string; readonly rowCount: number; readonly from: number }
>;

export type TableFact = RowsAdded | TableCreated;

export interface TableRow {
  readonly digest: string;
  /** JSON text. */
  readonly val: Buffer;
}

/** Encodes each row as digest, a zero byte, length and text. */
export function encodeRowList(rows: readonly TableRow[]): Buffer {
  const parts: Buffer[] = [];
  for (const { digest, val } of rows) {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(val.length);
    parts.push(Buffer.from(`${digest}\0`), length, val);
  }
  return Buffer.concat(parts);
}

/** Decodes rows. Their values are views into `bytes`, not copies. */
export function decodeRowList(bytes: Buffer): TableRow[] {
  const rows: TableRow[] = [];
  for (let at = 0; at < bytes.length;) {
    const zero = bytes.indexOf(0, at);
    const start = zero + 5;
    const end = start + bytes.readUInt32LE(zero + 1);
    rows.push({ digest: bytes.toString('utf8', at, zero), val: bytes.subarray(start, end) });
    at = end;
  }
  return rows;
}

/** Clients may send digests of any length; a digest never contains a line break. */
export const encodeDigestList = (digests: readonly string[]): Buffer =>
  Buffer.from(digests.join('\n'));

export const decodeDigestList = (bytes: Buffer): string[] =>
  bytes.length === 0 ? [] : bytes.toString('utf8').split('\n');
