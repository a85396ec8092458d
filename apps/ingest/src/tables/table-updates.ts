import type { TableRow } from '@app/events';
import { InvalidBodyError, ProblemError } from '@app/http';
import { elementSpans, memberSpans } from '@app/wire';
import { requireLength } from '../list-length.js';
import type { EditedRows } from './edited-rows.js';
import { tableRow } from './table-facts.js';

export type TableUpdate =
  | { readonly kind: 'append'; readonly row: TableRow }
  | { readonly kind: 'insert'; readonly index: number; readonly row: TableRow }
  | { readonly kind: 'pop'; readonly index: number };

const OPEN_BRACKET = 0x5b;
const UPDATES_MAX = 20_000;

/** Reads `[{"append":{"row"}}, {"insert":{"index","row"}}, {"pop":{"index"}}]`. */
export function updatesIn(json: Buffer): TableUpdate[] {
  if (json[0] !== OPEN_BRACKET) throw notAnUpdate([], 'must be a list of updates');
  requireLength(json, 0, 'updates', UPDATES_MAX);
  return elementSpans(json).map(({ start, end }, place) =>
    updateIn(json.subarray(start, end), place),
  );
}

function updateIn(json: Buffer, place: number): TableUpdate {
  const members = memberSpans(json);
  for (const kind of ['append', 'insert', 'pop'] as const) {
    const span = members.get(kind);
    if (span === undefined) continue;
    const payload = json.subarray(span.start, span.end);
    if (kind === 'pop') return { kind, index: indexIn(payload, place, kind) };
    const row = rowIn(payload, place, kind);
    return kind === 'append' ? { kind, row } : { kind, index: indexIn(payload, place, kind), row };
  }
  throw notAnUpdate([place], 'must be an append, an insert or a pop');
}

function rowIn(payload: Buffer, place: number, kind: string): TableRow {
  const span = memberSpans(payload).get('row');
  if (span === undefined) throw notAnUpdate([place, kind, 'row'], 'Field required');
  return tableRow(payload.subarray(span.start, span.end), `The row of update ${place}`);
}

function indexIn(payload: Buffer, place: number, kind: string): number {
  const span = memberSpans(payload).get('index');
  const index: unknown = span && JSON.parse(payload.toString('utf8', span.start, span.end));
  if (typeof index === 'number' && Number.isSafeInteger(index)) return index;
  throw notAnUpdate([place, kind, 'index'], 'must be a whole number');
}

/** Applies the updates in order. Returns the row of each update: a digest, or a position in the base. */
export function applied(rows: EditedRows, updates: readonly TableUpdate[]): (string | number)[] {
  return updates.map((update, place) => apply(rows, update, place));
}

function apply(rows: EditedRows, update: TableUpdate, place: number): string | number {
  switch (update.kind) {
    case 'append':
      rows.insert(rows.length, update.row.digest);
      return update.row.digest;
    case 'insert':
      requireIndex(update.index, rows.length, place);
      rows.insert(update.index, update.row.digest);
      return update.row.digest;
    case 'pop':
      requireIndex(update.index, rows.length - 1, place);
      return rows.remove(update.index);
  }
}

function requireIndex(index: number, last: number, place: number): void {
  if (index >= 0 && index <= last) return;
  throw new ProblemError(
    'invalid_request',
    `The index of update ${place} is ${index}; the table ${last < 0 ? 'has no rows' : `accepts 0 to ${last}`}.`,
  );
}

function notAnUpdate(path: readonly (string | number)[], msg: string): InvalidBodyError {
  const type = msg === 'Field required' ? 'missing' : 'update_type';
  return new InvalidBodyError([{ loc: ['body', 'updates', ...path], msg, type }]);
}
