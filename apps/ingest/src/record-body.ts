import { validateSync } from 'class-validator';
import { fieldErrors, InvalidBodyError, noteIgnored } from '@app/http';
import { isObjectAt, JsonText, memberSpans, skipSpace } from '@app/wire';

type Loc = readonly (string | number)[];

/**
 * Reads and checks a JSON object of a request. The fields in `texts` stay exact text, the others are parsed. The response names
 * the fields that are not declared, when `body` is the whole body.
 */
export function recordOf<T extends object>(
  dto: new () => T,
  json: Buffer,
  texts: readonly (keyof T & string)[] = [],
  loc: Loc = ['body'],
  body: Buffer = json,
): T {
  const record = new dto();
  const declared = new Set(Object.keys(record));
  const ignored: string[] = [];
  for (const [key, { start, end }] of memberSpans(json)) {
    const isText = (texts as readonly string[]).includes(key);
    const value = isText ? new JsonText(json.subarray(start, end)) : parsed(json, start, end);
    if (!declared.has(key)) ignored.push([...loc.slice(1), key].join('.'));
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true });
  }
  const errors = validateSync(record, { stopAtFirstError: true });
  if (errors.length > 0) throw new InvalidBodyError(fieldErrors(errors, loc));
  // A record without required fields is valid without members, but not as a list or a text.
  if (!isObjectAt(json, skipSpace(json, 0))) {
    throw new InvalidBodyError([{ loc, msg: 'must be a JSON object', type: 'object_type' }]);
  }
  noteIgnored(body, ignored);
  return record;
}

/** The object in the required member `name`. */
export function memberObject(body: Buffer, name: string): Buffer {
  const span = memberSpans(body).get(name);
  const loc = ['body', name];
  if (span === undefined) {
    throw new InvalidBodyError([{ loc, msg: 'Field required', type: 'missing' }]);
  }
  const json = body.subarray(span.start, span.end);
  if (json[0] !== OPEN_BRACE) {
    throw new InvalidBodyError([{ loc, msg: 'must be a JSON object', type: 'object_type' }]);
  }
  return json;
}

const OPEN_BRACE = 0x7b;

function parsed(json: Buffer, start: number, end: number): unknown {
  return JSON.parse(json.toString('utf8', start, end)) as unknown;
}
