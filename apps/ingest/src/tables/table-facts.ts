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
import { digestOf, type IngestContext } from '../objects/object-facts.js';

/** A part of a table is no larger than this, so that no worker has to hold a huge one. */
const PART_MAX_BYTES = 1024 * 1024;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** The rows of a request, each with its digest; a Problem for anything that is not a list of objects. */
export function rowsIn(json: Buffer): TableRow[] {
  if (json[0] !== OPEN_BRACKET) throw new ProblemError('invalid_request', 'rows must be a list.');
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
 * Everything a new table needs, in parts: rows first, so that whoever finds the table finds its rows. Most tables are
 * small and go in one.
 */
export function tableParts(
  digest: string,
  rowDigests: readonly string[],
  rows: readonly TableRow[],
  receipt: IngestContext,
): RecordFact[][][] {
  const ofRows = rows.length === 0 ? [] : [...rowFacts(rows, receipt)];
  const ofTable = [...tableFacts(digest, rowDigests, receipt)];
  if (ofRows.length <= 1 && ofTable.length === 1) return [[[...ofRows, ...ofTable]]];
  return [ofRows.map((fact) => [fact]), ofTable.map((fact) => [fact])];
}

/** Each row once, in parts. */
export function* rowFacts(rows: readonly TableRow[], receipt: IngestContext): Generator<RowsAdded> {
  const distinct = [...new Map(rows.map((row) => [row.digest, row])).values()];
  for (const part of inParts(distinct, ({ val }) => val.length + 48)) {
    yield {
      type: 'RowsAdded',
      ...receipt,
      data: { count: part.length },
      body: encodeRowList(part),
    };
  }
}

/** The table itself: where which row stands, in parts. A table without rows is one empty part. */
export function* tableFacts(
  digest: string,
  rowDigests: readonly string[],
  receipt: IngestContext,
): Generator<TableCreated> {
  let from = 0;
  for (const part of inParts(rowDigests, ({ length }) => length + 1)) {
    const data = { digest, rowCount: rowDigests.length, from };
    yield { type: 'TableCreated', ...receipt, data, body: encodeDigestList(part) };
    from += part.length;
  }
}

/** The same for a list that is too long to be held, of which the length is known. */
export async function* longTableFacts(
  digest: string,
  rowCount: number,
  rowDigests: AsyncIterable<readonly string[]>,
  receipt: IngestContext,
): AsyncGenerator<readonly [TableCreated]> {
  let from = 0;
  for await (const some of rowDigests) {
    const data = { digest, rowCount, from };
    yield [{ type: 'TableCreated', ...receipt, data, body: encodeDigestList(some) }];
    from += some.length;
  }
}

/** At least one part, even of nothing. */
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
