import { PROJECT_ID, type CallStartResponse, type CallUpdateRequest } from '@app/contracts';
import { withMembers, type CallFactKind, type CallItem, type NewFact } from '@app/events';
import { InvalidBodyError, ProblemError } from '@app/http';
import {
  eachOfBatch,
  invalid,
  modeAndHalves,
  namingRecord,
  objectIn,
  onlyRecord,
  recordAt,
  required,
  type FoundRecord,
} from './call-bodies.js';
import { checkedComplete, checkedEnd, checkedStart } from './call-checks.js';
import { placedInTime } from './call-times.js';

/** What the server adds to what the client says. */
export interface IngestContext {
  readonly userId: string;
  /** Microseconds; each call gives a later one. */
  readonly now: () => number;
  /** An id for the n-th item of the request; the same for the same request sent again. */
  readonly newId: (index: number, what: 'call' | 'trace') => string;
}

type StartAnswer = CallStartResponse;
type Answer = StartAnswer | Record<string, never>;

export interface Accepted<A extends Answer = Answer> {
  readonly fact: NewFact;
  readonly answer: A;
}

/** `{"start": {...}}` → one fact, or an InvalidBodyError. */
export function startedFact(body: Buffer, receipt: IngestContext): Accepted<StartAnswer> {
  return startFact(onlyRecord(body, 'start'), receipt, 0);
}

/** `{"end": {...}}` → one fact, or an InvalidBodyError. */
export function endedFact(body: Buffer, receipt: IngestContext): Accepted {
  return endFact(onlyRecord(body, 'end'), receipt);
}

/** `{"batch": [{"mode", "req"}, …]}` → one fact per item, in order. An item that is wrong becomes a rejected fact. */
export function batchFacts(body: Buffer, receipt: IngestContext): Accepted[] {
  return eachOfBatch(body, (start, index) => {
    const found = modeAndHalves(body, start, index);
    const record = namingRecord(found);
    const bytes = body.subarray(start, found.end);
    const accepted = orRejected(bytes, record, receipt, () => {
      if (found.mode === 'start') return startFact(required(found, 'start'), receipt, index);
      if (found.mode === 'end') return endFact(required(found, 'end'), receipt);
      throw invalid([...found.loc, 'mode'], `must be "start" or "end", not ${shown(found.mode)}`);
    });
    const isRefusedStart = accepted.fact.kind === 'rejected' && found.mode === 'start';
    const made = isRefusedStart ? { ...accepted, answer: namesIn(record?.item) } : accepted;
    return { made, end: found.end };
  });
}

/** `{"batch": [<whole call>, …]}` → one fact per item, in order. */
export function completedFacts(body: Buffer, receipt: IngestContext): Accepted[] {
  return eachOfBatch(body, (start, index) => {
    const record = recordAt(body, start, ['body', 'batch', index]);
    const accepted = orRejected(body.subarray(start, record.end), record, receipt, () => {
      return { fact: completedFact(record, receipt), answer: {} };
    });
    return { made: accepted, end: record.end };
  });
}

/** A whole call → one fact, or an InvalidBodyError. */
export function completedFact(record: FoundRecord, receipt: IngestContext): NewFact {
  const call = checkedComplete(objectIn(record), record.loc);
  return newFact('complete', call.id, call, record.bytes, receipt);
}

/** The name is all that an update can change; the wire calls one without it a bad request, not a malformed one. */
export function renamedFact(update: CallUpdateRequest, receipt: IngestContext): NewFact {
  const { project_id, call_id, display_name } = update;
  if (display_name === undefined || display_name === null) {
    throw new ProblemError(
      'invalid_request',
      'display_name is missing: it is all that can be changed.',
    );
  }
  const item = Buffer.from(JSON.stringify({ project_id, call_id, display_name }));
  return newFact('rename', call_id, update, item, receipt);
}

export function deletedFact(projectId: string, callId: string, receipt: IngestContext): NewFact {
  return newFact('delete', callId, { project_id: projectId }, Buffer.from('{}'), receipt);
}

function startFact(
  record: FoundRecord,
  receipt: IngestContext,
  index: number,
): Accepted<StartAnswer> {
  const start = checkedStart(objectIn(record), record.loc);
  const id = start.id || receipt.newId(index, 'call');
  const trace_id = start.trace_id || receipt.newId(index, 'trace');
  const given = { ...(start.id ? {} : { id }), ...(start.trace_id ? {} : { trace_id }) };
  const fact = newFact('start', id, start, withMembers(record.bytes, given), receipt);
  return { fact, answer: { id, trace_id } };
}

function endFact(record: FoundRecord, receipt: IngestContext): Accepted {
  const end = checkedEnd(objectIn(record), record.loc);
  return { fact: newFact('end', end.id, end, record.bytes, receipt), answer: {} };
}

function newFact(
  kind: CallFactKind,
  callId: string,
  record: {
    readonly project_id: string;
    readonly started_at?: string | null;
    readonly ended_at?: string | null;
  },
  item: Buffer,
  receipt: IngestContext,
): NewFact {
  const receivedAt = receipt.now();
  const { corrected, isOld } = placedInTime(record, receivedAt);
  return {
    kind,
    // As every store will write them, so that all of them mean the same project and call.
    projectId: record.project_id.toWellFormed(),
    callId: callId.toWellFormed(),
    userId: receipt.userId,
    receivedAt,
    item: withMembers(item, corrected),
    isOld,
  };
}

function orRejected(
  bytes: Buffer,
  record: FoundRecord | undefined,
  receipt: IngestContext,
  accept: () => Accepted,
): Accepted {
  try {
    return accept();
  } catch (error) {
    if (!(error instanceof InvalidBodyError)) throw error;
    return rejected(bytes, record?.item, receipt, error.message);
  }
}

/** Kept with its bytes and the reason, under the project it names if it names one. Like an end, it has no answer. */
function rejected(
  item: Buffer,
  known: CallItem | undefined,
  receipt: IngestContext,
  reason: string,
): Accepted {
  const projectId = nameIn(known, 'project_id');
  const { userId } = receipt;
  const fact: NewFact = {
    kind: 'rejected',
    // What is no project belongs to nobody, and no key has to open it.
    projectId: PROJECT_ID.test(projectId) ? projectId : '',
    callId: nameIn(known, 'id'),
    userId,
    receivedAt: receipt.now(),
    item,
    reason,
  };
  return { fact, answer: {} };
}

/** The answer to every start has the same form: ids as far as the client gave any, also when nothing came of it. */
const namesIn = (known: CallItem | undefined): StartAnswer => ({
  id: nameIn(known, 'id'),
  trace_id: nameIn(known, 'trace_id'),
});

/** An id too long to be one is cut in the columns; the item keeps it whole. */
const NAMED_MAX = 256;

function nameIn(known: CallItem | undefined, field: string): string {
  const value = known?.[field];
  return typeof value === 'string' ? value.slice(0, NAMED_MAX).toWellFormed() : '';
}

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 60);
