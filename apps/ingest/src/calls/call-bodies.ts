import { readCallItemAt, type CallItem } from '@app/events';
import { InvalidBodyError } from '@app/http';
import { endOfValue, isArrayAt, isObjectAt, skipSpace, walkElements, walkMembers } from '@app/wire';
import type { Loc } from './call-checks.js';

/** A record of the wire where it stands in the body. */
export interface FoundRecord {
  readonly loc: Loc;
  readonly bytes: Buffer;
  readonly end: number;
  /** Undefined when it is not even an object. */
  readonly item: CallItem | undefined;
}

type Half = 'start' | 'end';

export interface FoundItem {
  readonly loc: Loc;
  readonly end: number;
  readonly mode: unknown;
  /** What stands in `req`; the mode says which of them is meant. */
  readonly halves: Readonly<Partial<Record<Half, FoundRecord>>>;
}

/** Reads every item of `batch`; `read` gives what it made of the item and where that ended. */
export function eachOfBatch<T>(
  body: Buffer,
  read: (start: number, index: number) => { made: T; end: number },
): T[] {
  let made: T[] | undefined;
  walkBody(body, (key, at) => {
    if (key !== 'batch') return endOfValue(body, at);
    made = undefined;
    if (!isArrayAt(body, at)) return endOfValue(body, at);
    const items: T[] = (made = []);
    return walkElements(body, at, (start) => {
      const one = read(start, items.length);
      items.push(one.made);
      return one.end;
    });
  });
  if (made === undefined) throw invalid(['body', 'batch'], 'must be a list of items', 'list_type');
  return made;
}

export function onlyRecord(body: Buffer, name: Half): FoundRecord {
  const loc: Loc = ['body', name];
  let found: FoundRecord | undefined;
  walkBody(body, (key, at) => {
    if (key !== name) return endOfValue(body, at);
    found = recordAt(body, at, loc);
    return found.end;
  });
  if (found === undefined) throw invalid(loc, 'Field required', 'missing');
  return found;
}

function walkBody(body: Buffer, visit: (key: string, at: number) => number): void {
  const at = skipSpace(body, 0);
  if (isObjectAt(body, at)) walkMembers(body, at, visit);
}

/** Of repeated keys the last counts, as everywhere. */
export function modeAndHalves(body: Buffer, start: number, index: number): FoundItem {
  const loc: Loc = ['body', 'batch', index];
  let mode: unknown;
  let halves: Partial<Record<Half, FoundRecord>> = {};
  if (!isObjectAt(body, start)) return { mode, halves, loc, end: endOfValue(body, start) };
  const end = walkMembers(body, start, (key, at) => {
    if (key === 'req') halves = {};
    if (key === 'req' && isObjectAt(body, at)) {
      return walkMembers(body, at, (name, recordStart) => {
        if (name !== 'start' && name !== 'end') return endOfValue(body, recordStart);
        const record = (halves[name] = recordAt(body, recordStart, [...loc, 'req', name]));
        return record.end;
      });
    }
    const valueEnd = endOfValue(body, at);
    if (key === 'mode') mode = JSON.parse(body.toString('utf8', at, valueEnd));
    return valueEnd;
  });
  return { mode, halves, loc, end };
}

export function recordAt(body: Buffer, start: number, loc: Loc): FoundRecord {
  if (!isObjectAt(body, start)) {
    const end = endOfValue(body, start);
    return { loc, bytes: body.subarray(start, end), end, item: undefined };
  }
  const { item, end } = readCallItemAt(body, start);
  return { loc, bytes: body.subarray(start, end), end, item };
}

export function required({ halves, loc }: FoundItem, wanted: Half): FoundRecord {
  const record = halves[wanted];
  if (record === undefined) throw invalid([...loc, 'req', wanted], 'Field required', 'missing');
  return record;
}

/** The record by which an item is called when it cannot be taken. */
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
