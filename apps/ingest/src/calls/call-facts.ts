import { PROJECT_ID, type CallStartResponse, type CallUpdateRequest } from '@app/contracts';
import {
  startOfNewMonths,
  withMembers,
  type CallFactKind,
  type CallItem,
  type NewFact,
} from '@app/events';
import { InvalidBodyError, ProblemError } from '@app/http';
import { micros, millisOf, parseTimestamp, printTimestamp, type Micros } from '@app/wire';
import { BATCH_MAX, BatchBounds } from './batch-bounds.js';
import {
  checkedComplete,
  checkedEnd,
  checkedStart,
  eachOfBatch,
  invalid,
  modeAndHalves,
  namingRecord,
  objectIn,
  onlyRecord,
  recordAt,
  required,
  type FoundRecord,
  type Reading,
} from './call-bodies.js';

/** What the server adds to the records of a request. */
export interface IngestContext extends Reading {
  readonly userId: string;
  /** Whether the key of the request may only add. */
  readonly addsOnly: boolean;
  /** Every reading is later than the one before. */
  readonly now: () => Micros;
  /** An id for the n-th item of the request. A retry of the request gets the same ids. */
  readonly newId: (index: number, kind: 'call' | 'trace') => string;
}

export type CallResponse = CallStartResponse | Record<string, never>;

export interface Accepted<T extends CallResponse = CallResponse> {
  readonly fact: NewFact;
  readonly response: T;
}

/** `{"start": {...}}` → one fact, or an InvalidBodyError. */
export function startedFact(body: Buffer, context: IngestContext): Accepted<CallStartResponse> {
  return startFact(onlyRecord(body, 'start', context), context, 0);
}

/** `{"end": {...}}` → one fact, or an InvalidBodyError. */
export function endedFact(body: Buffer, context: IngestContext): Accepted {
  return endFact(onlyRecord(body, 'end', context), context);
}

/** `{"batch": [{"mode", "req"}, …]}` → one fact per item, in order. An invalid item becomes a rejected fact. */
export function batchFacts(body: Buffer, context: IngestContext): Accepted[] {
  const bounds = new BatchBounds();
  const read = (start: number, index: number) => {
    const found = modeAndHalves(body, start, index, context);
    const record = namingRecord(found);
    const bytes = body.subarray(start, found.end);
    const accepted = orRejected(bytes, record, context, () => {
      if (found.mode === 'start') return startFact(required(found, 'start'), context, index);
      if (found.mode === 'end') return endFact(required(found, 'end'), context);
      throw invalid([...found.loc, 'mode'], `must be "start" or "end", not ${shown(found.mode)}`);
    });
    bounds.count(accepted.fact, record?.item);
    const isRefusedStart = accepted.fact.kind === 'rejected' && found.mode === 'start';
    const result = isRefusedStart ? { ...accepted, response: idsIn(record?.item) } : accepted;
    return { result, end: found.end };
  };
  return eachOfBatch(body, BATCH_MAX.items, read, context);
}

/** `{"batch": [<whole call>, …]}` → one fact per item, in order. */
export function completedFacts(body: Buffer, context: IngestContext): Accepted[] {
  const bounds = new BatchBounds();
  const read = (start: number, index: number) => {
    const record = recordAt(body, start, ['body', 'batch', index], context);
    const accepted = orRejected(body.subarray(start, record.end), record, context, () => {
      return { fact: completedFact(record, context), response: {} };
    });
    bounds.count(accepted.fact, record.item);
    return { result: accepted, end: record.end };
  };
  return eachOfBatch(body, BATCH_MAX.items, read, context);
}

/** A whole call → one fact, or an InvalidBodyError. */
export function completedFact(record: FoundRecord, context: IngestContext): NewFact {
  const call = checkedComplete(objectIn(record), record.loc, context.ignored);
  return newFact('complete', call.id, call, record.bytes, context);
}

/** An update can change only the name. The wire refuses an update without a name with 400 rather than 422. */
export function renamedFact(update: CallUpdateRequest, context: IngestContext): NewFact {
  const { project_id, call_id, display_name } = update;
  if (display_name === undefined || display_name === null) {
    throw new ProblemError(
      'invalid_request',
      'display_name is missing. An update can change only the name of a call.',
    );
  }
  const item = Buffer.from(JSON.stringify({ project_id, call_id, display_name }));
  return newFact('rename', call_id, update, item, context);
}

export function deletedFact(projectId: string, callId: string, context: IngestContext): NewFact {
  return newFact('delete', callId, { project_id: projectId }, Buffer.from('{}'), context);
}

function startFact(
  record: FoundRecord,
  context: IngestContext,
  index: number,
): Accepted<CallStartResponse> {
  const start = checkedStart(objectIn(record), record.loc, context.ignored);
  const id = start.id || context.newId(index, 'call');
  const trace_id = start.trace_id || context.newId(index, 'trace');
  const added = { ...(start.id ? {} : { id }), ...(start.trace_id ? {} : { trace_id }) };
  const fact = newFact('start', id, start, withMembers(record.bytes, added), context);
  return { fact, response: { id, trace_id } };
}

function endFact(record: FoundRecord, context: IngestContext): Accepted {
  const end = checkedEnd(objectIn(record), record.loc, context.ignored);
  return { fact: newFact('end', end.id, end, record.bytes, context), response: {} };
}

function newFact(
  kind: CallFactKind,
  callId: string,
  record: Times & { readonly project_id: string },
  item: Buffer,
  context: IngestContext,
): NewFact {
  const receivedAt = context.now();
  const { corrected, isOld } = clampedTimes(record, receivedAt);
  return {
    kind,
    // UTF-8 has no lone surrogates. Replacing them here gives every store the same ids.
    projectId: record.project_id.toWellFormed(),
    callId: callId.toWellFormed(),
    userId: context.userId,
    addsOnly: context.addsOnly,
    receivedAt,
    item: withMembers(item, corrected),
    isOld,
  };
}

interface Times {
  readonly started_at?: string | null;
  readonly ended_at?: string | null;
}

const YEAR_2000 = Date.UTC(2000, 0, 1) * 1000;
const ONE_DAY = 86_400_000_000;

/**
 * Moves times before 2000 to 2000 and times after tomorrow (UTC) to the end of tomorrow, so that queries by time find calls
 * of a client whose clock is wrong. The correction is part of the fact. It does not depend on the time of day, so that a
 * record that is sent twice is one fact.
 */
export function clampedTimes(
  record: Times,
  now: Micros,
): { readonly corrected: Record<string, string>; readonly isOld: boolean } {
  const corrected: Record<string, string> = {};
  let isOld = false;
  for (const field of ['started_at', 'ended_at'] as const) {
    const sent = parseTimestamp(record[field] ?? '');
    if (sent === undefined) continue;
    const clamped = micros(Math.min(Math.max(sent, YEAR_2000), endOfTomorrow(now)));
    if (clamped !== sent) corrected[field] = printTimestamp(clamped);
    if (field === 'started_at') isOld = clamped < startOfNewMonths(millisOf(now));
  }
  return { corrected, isOld };
}

const endOfTomorrow = (now: Micros) => (Math.floor(now / ONE_DAY) + 2) * ONE_DAY;

function orRejected(
  bytes: Buffer,
  record: FoundRecord | undefined,
  context: IngestContext,
  accept: () => Accepted,
): Accepted {
  try {
    return accept();
  } catch (error) {
    if (!(error instanceof InvalidBodyError)) throw error;
    return rejected(bytes, record?.item, context, error.message);
  }
}

/** A fact with the bytes of the item and the reason, for the project that the item names. The response is empty. */
function rejected(
  item: Buffer,
  known: CallItem | undefined,
  context: IngestContext,
  reason: string,
): Accepted {
  const projectId = textIn(known, 'project_id');
  const { userId, addsOnly } = context;
  const fact: NewFact = {
    kind: 'rejected',
    // An invalid project id needs no access check: the dead letter belongs to no project.
    projectId: PROJECT_ID.test(projectId) ? projectId : '',
    callId: textIn(known, 'id'),
    userId,
    addsOnly,
    receivedAt: context.now(),
    item,
    reason,
  };
  return { fact, response: {} };
}

/** The response to a rejected start has the ids that the client sent, or empty ones. */
const idsIn = (known: CallItem | undefined): CallStartResponse => ({
  id: textIn(known, 'id'),
  trace_id: textIn(known, 'trace_id'),
});

/** The columns of a dead letter have at most this much of an id. The item has all of it. */
const ID_MAX = 256;

function textIn(known: CallItem | undefined, field: string): string {
  const value = known?.[field];
  return typeof value === 'string' ? value.slice(0, ID_MAX).toWellFormed() : '';
}

/** A reason is stored with the dead letter and not redacted, so that no object is shown. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null
    ? 'an object'
    : JSON.stringify(value).slice(0, 60);
}
