import type { Principal } from '@app/auth';
import { TableCreateRecord, TableFromDigestsRecord, TableUpdateRecord } from '@app/contracts';
import { tableDigest } from '@app/digests';
import type { RecordFact, TableRow } from '@app/events';
import { readInThread, requireJsonBody } from '@app/http';
import type { Micros } from '@app/wire';
import { memberObject, recordOf } from '../record-body.js';
import { authorizedContext, requireDigest, type RecordContext } from '../record-facts.js';
import { digestList } from './digest-list.js';
import { digestFacts, PART_MAX_BYTES, rowsIn, tableParts } from './table-facts.js';
import { updatesIn, type TableUpdate } from './table-updates.js';

/** A list of digests may have more values than other bodies: it is flat. */
const DIGESTS_MAX = 2_000_000;

/** A new table, computed from its request. */
export interface NewTable {
  readonly projectId: string;
  readonly digest: string;
  readonly rowDigests: readonly string[];
  readonly parts: readonly (readonly RecordFact[])[][];
}

/** The table of a request with rows, or a ProblemError. */
export function readTable(body: Buffer, caller: Principal, receivedAt: Micros): NewTable {
  const json = memberObject(body, 'table');
  const record = recordOf(TableCreateRecord, json, ['rows'], ['body', 'table'], body);
  const context = contextOf(caller, record.project_id, receivedAt);
  const rows = rowsIn(record.rows.bytes);
  const rowDigests = rows.map(({ digest }) => digest);
  return newTable(rowDigests, rows, record.expected_digest, context);
}

/** The table of a request with digests of rows, without its list: the client has it. */
export function readDigestTable(body: Buffer, caller: Principal, receivedAt: Micros): NewTable {
  requireJsonBody(body, { maxParts: DIGESTS_MAX });
  const record = recordOf(TableFromDigestsRecord, body, ['row_digests']);
  const context = contextOf(caller, record.project_id, receivedAt);
  const list = digestList(record.row_digests.bytes, PART_MAX_BYTES);
  const { digest } = list;
  requireDigest(digest, record.expected_digest, 'the table');
  const parts = [digestFacts(list, context).map((fact) => [fact])];
  return { projectId: context.projectId, digest, rowDigests: [], parts };
}

export interface NewEdit {
  readonly context: RecordContext;
  readonly baseDigest: string;
  readonly updates: readonly TableUpdate[];
}

/** The updates of a request, or a ProblemError. */
export function readEdit(body: Buffer, caller: Principal, receivedAt: Micros): NewEdit {
  const record = recordOf(TableUpdateRecord, body, ['updates']);
  const context = contextOf(caller, record.project_id, receivedAt);
  return { context, baseDigest: record.base_digest, updates: updatesIn(record.updates.bytes) };
}

/** Large bodies are read in a thread. */
export const readTableOf = readInThread(import.meta.url, 'readTable', readTable);
export const readDigestTableOf = readInThread(import.meta.url, 'readDigestTable', readDigestTable);
export const readEditOf = readInThread(import.meta.url, 'readEdit', readEdit);

const contextOf = (caller: Principal, projectId: string, receivedAt: Micros) =>
  authorizedContext(caller, 'write', projectId, { now: () => receivedAt });

export function newTable(
  rowDigests: readonly string[],
  rows: readonly TableRow[],
  expected: string | null | undefined,
  context: RecordContext,
): NewTable {
  const digest = tableDigest(rowDigests);
  requireDigest(digest, expected, 'the table');
  const parts = tableParts(digest, rowDigests, rows, context);
  return { projectId: context.projectId, digest, rowDigests, parts };
}
