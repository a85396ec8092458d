import { validateSync } from 'class-validator';
import {
  CallCompleteRecord,
  CallEndRecord,
  CallStartRecord,
  compileCheck,
  TOO_DEEP,
} from '@app/contracts';
import { readCallItemAt, type CallItem } from '@app/events';
import { fieldErrors, InvalidBodyError, type FieldError } from '@app/http';
import { endOfValue, isArrayAt, isObjectAt, skipSpace, walkElements, walkMembers } from '@app/wire';
import { requireLength } from '../list-length.js';
import type { BodyOutline } from './body-outline.js';
import type { IgnoredNames, Loc } from './ignored-names.js';

/** What the reader of a body is given in addition to the body. */
export interface Reading {
  /** Gets the members that are not read, when the response names them. */
  readonly ignored?: IgnoredNames;
  /** Of the body. Without it, the payloads are scanned for their ends. */
  readonly outline?: BodyOutline;
}

/** A record of the wire at its position in the body. */
export interface FoundRecord {
  readonly loc: Loc;
  readonly bytes: Buffer;
  readonly end: number;
  /** Undefined when the value is not an object. */
  readonly item: CallItem | undefined;
}

type Half = 'start' | 'end';

export interface FoundItem {
  readonly loc: Loc;
  readonly end: number;
  readonly mode: unknown;
  /** The records of `req`. The mode selects one of them. */
  readonly halves: Readonly<Partial<Record<Half, FoundRecord>>>;
}

/** Calls `read` for every item of `batch`, unless there are more. `read` returns its result and the position after the item. */
export function eachOfBatch<T>(
  body: Buffer,
  maxItems: number,
  read: (start: number, index: number) => { result: T; end: number },
  { ignored, outline }: Reading = {},
): T[] {
  const endAt = outline && ((start: number) => outline.extentAt(start).end);
  let results: T[] | undefined;
  walkBody(body, 'batch', ignored, (at) => {
    results = undefined;
    if (!isArrayAt(body, at)) return endOfValue(body, at);
    requireLength(body, at, 'batch', maxItems, endAt);
    const items: T[] = (results = []);
    return walkElements(body, at, (start) => {
      const { result, end } = read(start, items.length);
      items.push(result);
      return end;
    });
  });
  if (results === undefined) {
    throw invalid(['body', 'batch'], 'must be a list of items', 'list_type');
  }
  return results;
}

export function onlyRecord(body: Buffer, name: Half, reading: Reading): FoundRecord {
  const loc: Loc = ['body', name];
  let found: FoundRecord | undefined;
  walkBody(body, name, reading.ignored, (at) => {
    found = recordAt(body, at, loc, reading);
    return found.end;
  });
  if (found === undefined) throw invalid(loc, 'Field required', 'missing');
  return found;
}

/** Calls `visit` for every member called `name`. The last of repeated members counts. */
function walkBody(
  body: Buffer,
  name: string,
  ignored: IgnoredNames | undefined,
  visit: (at: number) => number,
): void {
  const start = skipSpace(body, 0);
  if (!isObjectAt(body, start)) return;
  walkMembers(body, start, (key, at) => {
    if (key === name) return visit(at);
    ignored?.add(key, ['body']);
    return endOfValue(body, at);
  });
}

/** The last of repeated keys counts, as in JSON.parse. */
export function modeAndHalves(
  body: Buffer,
  start: number,
  index: number,
  reading: Reading,
): FoundItem {
  const { ignored } = reading;
  const loc: Loc = ['body', 'batch', index];
  let mode: unknown;
  let halves: Partial<Record<Half, FoundRecord>> = {};
  if (!isObjectAt(body, start)) return { mode, halves, loc, end: endOfValue(body, start) };
  const end = walkMembers(body, start, (key, at) => {
    if (key === 'req') halves = {};
    if (key === 'req' && isObjectAt(body, at)) {
      return walkMembers(body, at, (name, recordStart) => {
        if (name !== 'start' && name !== 'end') {
          ignored?.add(name, [...loc, 'req']);
          return endOfValue(body, recordStart);
        }
        const record = (halves[name] = recordAt(body, recordStart, [...loc, 'req', name], reading));
        return record.end;
      });
    }
    const valueEnd = endOfValue(body, at);
    if (key === 'mode') mode = JSON.parse(body.toString('utf8', at, valueEnd));
    else if (key !== 'req') ignored?.add(key, loc);
    return valueEnd;
  });
  return { mode, halves, loc, end };
}

export function recordAt(
  body: Buffer,
  start: number,
  loc: Loc,
  { outline }: Reading = {},
): FoundRecord {
  if (!isObjectAt(body, start)) {
    const end = endOfValue(body, start);
    return { loc, bytes: body.subarray(start, end), end, item: undefined };
  }
  const extentAt = outline && ((at: number) => outline.extentAt(at));
  const { item, end } = readCallItemAt(body, start, extentAt);
  return { loc, bytes: body.subarray(start, end), end, item };
}

export function required({ halves, loc }: FoundItem, wanted: Half): FoundRecord {
  const record = halves[wanted];
  if (record === undefined) throw invalid([...loc, 'req', wanted], 'Field required', 'missing');
  return record;
}

/** The record whose ids name a rejected item. */
export function namingRecord({ mode, halves }: FoundItem): FoundRecord | undefined {
  return mode === 'end' ? (halves.end ?? halves.start) : (halves.start ?? halves.end);
}

export function objectIn({ item, loc }: FoundRecord): CallItem {
  if (item === undefined) throw invalid(loc, 'must be a JSON object', 'object_type');
  return item;
}

export function invalid(loc: Loc, msg: string, type = 'value_error'): InvalidBodyError {
  return new InvalidBodyError([{ loc, msg, type }]);
}

type Checked<T> = (item: CallItem, loc: Loc, ignored?: IgnoredNames) => T;

export const checkedStart = checkedBy(CallStartRecord);
export const checkedEnd = checkedBy(CallEndRecord);
export const checkedComplete = checkedBy(CallCompleteRecord);

/** The compiled check decides. class-validator runs only on a record that the check refuses, to find the reasons. */
function checkedBy<T extends object>(dto: new () => T): Checked<T> {
  const isValid = compileCheck(dto);
  const declared = new Set(Object.keys(new dto()));
  return (item, loc, ignored) => {
    ignored?.addUndeclared(item, declared, loc);
    if (isValid(item)) return item as unknown as T;
    const errors = validateSync(filled(new dto(), item), { stopAtFirstError: true });
    throw refused(fieldErrors(errors, loc));
  };
}

/** A record whose only fault is its depth is too complex rather than malformed. */
function refused(errors: readonly FieldError[]): InvalidBodyError {
  const isOnlyDeep = errors.length > 0 && errors.every(({ type }) => type === TOO_DEEP);
  return new InvalidBodyError(errors, isOnlyDeep ? 'body_too_complex' : 'invalid_body');
}

/** Sets only declared fields, so that members called `constructor` or `__proto__` are ignored like other unknown ones. */
function filled<T extends object>(record: T, item: CallItem): T {
  for (const name of Object.keys(record)) Reflect.set(record, name, item[name]);
  return record;
}
