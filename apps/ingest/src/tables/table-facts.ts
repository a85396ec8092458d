import {
  encodeDigestList,
  encodeRowList,
  type RecordFact,
  type RowsAdded,
  type TableCreated,
  type TableRow,
} from '@app/events';
import { ProblemError } from '@app/http';
import { elementSpans } from '@app/wire';
import { requireLength } from '../list-length.js';
import type { DigestList } from './digest-list.js';
import { digestOf, type RecordContext } from '../record-facts.js';

/** Bounds the memory that a worker needs for a table. */
export const PART_MAX_BYTES = 1024 * 1024;
/** A larger table is created from the digests of rows that were sent in several requests. */
const ROWS_MAX = 100_000;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** The rows of a request with their digests. Throws unless they are a list of objects. */
export function rowsIn(json: Buffer): TableRow[] {
  if (json[0] !== OPEN_BRACKET) throw new ProblemError('invalid_request', 'rows must be a list.');
  requireLength(json, 0, 'rows', ROWS_MAX);
  return elementSpans(json).map(({ start, end }, index) =>
    tableRow(json.subarray(start, end), `Row ${index}`),
  );
}

export function tableRow(val: Buffer, what: string): TableRow {
  if (val[0] === OPEN_BRACE) return { digest: digestOf(val), val };
  const shown = val.toString('utf8', 0, 60);
  throw new ProblemError('invalid_request', `${what} must be a JSON object, not ${shown}.`);
}

/**
 * The facts of a new table in parts. The parts with rows come first, so that a reader of the table finds its rows. Most
 * tables are small and have one part.
 */
export function tableParts(
  digest: string,
  rowDigests: readonly string[],
  rows: readonly TableRow[],
  context: RecordContext,
): RecordFact[][][] {
  const ofRows = rows.length === 0 ? [] : [...rowFacts(rows, context)];
  const ofTable = [...tableFacts(digest, rowDigests, context)];
  if (ofRows.length <= 1 && ofTable.length === 1) return [[[...ofRows, ...ofTable]]];
  return [ofRows.map((fact) => [fact]), ofTable.map((fact) => [fact])];
}

/** Rows without duplicates, in parts. */
export function* rowFacts(rows: readonly TableRow[], context: RecordContext): Generator<RowsAdded> {
  const distinct = [...new Map(rows.map((row) => [row.digest, row])).values()];
  for (const part of inParts(distinct, ({ val }) => val.length + 48)) {
    yield {
      type: 'RowsAdded',
      ...context,
      data: { count: part.length },
      body: encodeRowList(part),
    };
  }
}

/** The positions of rows in the table, in parts. A table without rows has one empty part. */
function* tableFacts(
  digest: string,
  rowDigests: readonly string[],
  context: RecordContext,
): Generator<TableCreated> {
  let from = 0;
  for (const part of inParts(rowDigests, ({ length }) => length + 1)) {
    const data = { digest, rowCount: rowDigests.length, from };
    yield { type: 'TableCreated', ...context, data, body: encodeDigestList(part) };
    from += part.length;
  }
}

/** As tableFacts, for a list that is already in parts. */
export const digestFacts = (list: DigestList, context: RecordContext): TableCreated[] =>
  list.parts.map(({ from, body }) => {
    const data = { digest: list.digest, rowCount: list.count, from };
    return { type: 'TableCreated', ...context, data, body };
  });

/** As tableFacts, for a list that does not fit in memory. */
export async function* longTableFacts(
  digest: string,
  rowCount: number,
  rowDigests: AsyncIterable<readonly string[]>,
  context: RecordContext,
): AsyncGenerator<readonly [TableCreated]> {
  let from = 0;
  for await (const block of rowDigests) {
    const data = { digest, rowCount, from };
    yield [{ type: 'TableCreated', ...context, data, body: encodeDigestList(block) }];
    from += block.length;
  }
}

/** Yields at least one part, also for an empty list. */
function* inParts<T>(items: readonly T[], sizeOf: (item: T) => number): Generator<readonly T[]> {
  let start = 0;
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    const size = sizeOf(item);
    if (index > start && bytes + size > PART_MAX_BYTES) {
      yield items.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += size;
  }
  yield items.slice(start);
}
