import { validateSync } from 'class-validator';
import { CallEndRecord, CallStartRecord, type CallStartResponse } from '@app/contracts';
import { readCallItem, withMembers, type CallItem, type NewFact } from '@app/events';
import { elementSpans, memberSpans } from '@app/wire';
import { fieldErrors, InvalidBodyProblem, type FieldError } from '@app/http';

/** What the server adds to what the client says. */
export interface Receipt {
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

type Loc = readonly (string | number)[];

/** `{"start": {...}}` → one fact, or an InvalidBodyProblem. */
export function startedFact(body: Buffer, receipt: Receipt): Accepted<StartAnswer> {
  return startFact(record(body, 'start', ['body']), receipt, 0);
}

/** `{"end": {...}}` → one fact, or an InvalidBodyProblem. */
export function endedFact(body: Buffer, receipt: Receipt): Accepted {
  return endFact(record(body, 'end', ['body']), receipt);
}

/** `{"batch": [...]}` → one fact per item, in order. An item that is wrong becomes a rejected fact. */
export function batchFacts(body: Buffer, receipt: Receipt): Accepted[] {
  const batch = memberSpans(body).get('batch');
  if (batch === undefined || body[batch.start] !== OPEN_BRACKET) {
    throw new InvalidBodyProblem([
      { loc: ['body', 'batch'], msg: 'must be a list of items', type: 'list_type' },
    ]);
  }
  return elementSpans(body, batch.start).map(({ start, end }, index) =>
    batchFact(body.subarray(start, end), receipt, index),
  );
}

const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

interface FoundRecord {
  readonly bytes: Buffer;
  readonly loc: Loc;
}

function batchFact(item: Buffer, receipt: Receipt, index: number): Accepted {
  const loc: Loc = ['body', 'batch', index];
  try {
    const members = memberSpans(item);
    const mode = text(item, members.get('mode'));
    const req = members.get('req');
    const inner = req === undefined ? Buffer.alloc(0) : item.subarray(req.start, req.end);
    if (mode === 'start') return startFact(record(inner, 'start', [...loc, 'req']), receipt, index);
    if (mode === 'end') return endFact(record(inner, 'end', [...loc, 'req']), receipt);
    const msg = `mode must be "start" or "end", not ${JSON.stringify(mode)?.slice(0, 60)}`;
    throw new InvalidBodyProblem([{ loc: [...loc, 'mode'], msg, type: 'enum' }]);
  } catch (error) {
    if (!(error instanceof InvalidBodyProblem)) throw error;
    return rejected(item, receipt, error.detail);
  }
}

function record(body: Buffer, name: 'start' | 'end', loc: Loc): FoundRecord {
  const span = memberSpans(body).get(name);
  const at = [...loc, name];
  if (span === undefined) {
    throw new InvalidBodyProblem([{ loc: at, msg: 'Field required', type: 'missing' }]);
  }
  if (body[span.start] !== OPEN_BRACE) {
    throw new InvalidBodyProblem([{ loc: at, msg: 'must be a JSON object', type: 'object_type' }]);
  }
  return { bytes: body.subarray(span.start, span.end), loc: at };
}

function startFact(
  { bytes, loc }: FoundRecord,
  receipt: Receipt,
  index: number,
): Accepted<StartAnswer> {
  const start = checked(CallStartRecord, readCallItem(bytes), loc);
  const id = start.id || receipt.newId(index, 'call');
  const trace_id = start.trace_id || receipt.newId(index, 'trace');
  const given = { ...(start.id ? {} : { id }), ...(start.trace_id ? {} : { trace_id }) };
  const fact = newFact('start', start.project_id, id, withMembers(bytes, given), receipt);
  return { fact, answer: { id, trace_id } };
}

function endFact({ bytes, loc }: FoundRecord, receipt: Receipt): Accepted {
  const end = checked(CallEndRecord, readCallItem(bytes), loc);
  return { fact: newFact('end', end.project_id, end.id, bytes, receipt), answer: {} };
}

function newFact(
  kind: 'start' | 'end',
  projectId: string,
  callId: string,
  item: Buffer,
  receipt: Receipt,
): NewFact {
  return { kind, projectId, callId, userId: receipt.userId, receivedAt: receipt.now(), item };
}

function checked<T extends object>(dto: new () => T, item: CallItem, loc: Loc): T {
  const instance = filled(new dto(), item);
  const errors = validateSync(instance, { stopAtFirstError: true });
  if (errors.length > 0) throw new InvalidBodyProblem(fieldErrors(errors, loc));
  return instance;
}

/** Only the record's own fields: a member called `constructor` or `__proto__` is data, and ignored like any other. */
function filled<T extends object>(record: T, item: CallItem): T {
  for (const name of Object.keys(record)) Reflect.set(record, name, item[name]);
  return record;
}

/** Kept with its bytes and the reason, under the project it names if it names one. */
function rejected(item: Buffer, receipt: Receipt, detail: readonly FieldError[]): Accepted {
  const { projectId, callId, traceId } = whatIsKnown(item);
  const reason = detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  const { userId } = receipt;
  const fact: NewFact = {
    kind: 'rejected',
    projectId,
    callId,
    userId,
    receivedAt: receipt.now(),
    item,
    reason,
  };
  return { fact, answer: callId === '' ? {} : { id: callId, trace_id: traceId } };
}

function whatIsKnown(item: Buffer): { projectId: string; callId: string; traceId: string } {
  const req = memberSpans(item).get('req');
  const inner = req && memberSpans(item, req.start);
  const span = inner?.get('start') ?? inner?.get('end');
  const known = span === undefined ? {} : readCallItem(item.subarray(span.start, span.end));
  const named = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    projectId: named(known['project_id']),
    callId: named(known['id']),
    traceId: named(known['trace_id']),
  };
}

function text(json: Buffer, span: { start: number; end: number } | undefined): unknown {
  return span === undefined
    ? undefined
    : (JSON.parse(json.toString('utf8', span.start, span.end)) as unknown);
}
