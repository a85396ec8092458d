import { isUtf8 } from 'node:buffer';
import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { jsonShape, type ShapeObserver } from '@app/wire';
import { readInThread } from './body-thread.js';
import { fieldErrors } from './field-errors.js';
import { ignoredMembers, noteIgnored } from './ignored-members.js';
import { InvalidBodyError, ProblemError, type FieldError } from './problems.js';

/**
 * Declares a body of records that is not checked yet. The function that reads the records begins with `requireRecords`, so that
 * a large body goes to the thread once.
 */
export class RecordsBody {
  constructor(readonly unchecked: Buffer) {}
}

const RECORDS_DEPTH = 512;

/** Bytes → checked DTO. A handler that declares a Buffer gets the bytes, checked to be JSON. */
@Injectable()
export class RequestBodyPipe implements PipeTransform {
  /** Returns a promise only for a large body. */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body') return value;
    const body = bodyOf(value);
    if (metatype === RecordsBody) return new RecordsBody(body);
    const isBytes = metatype === Buffer;
    const checking = isBytes ? checkBytes(body) : checkSmall(body);
    const read = () => (isBytes ? body : checked(body, metatype as new () => object));
    return checking === undefined ? read() : checking.then(read);
  }
}

const checkJson = readInThread(import.meta.url, 'requireJsonBody', requireJsonBody, {
  keepsBody: true,
});

const checkBytes = (body: Buffer): Promise<void> | undefined => checkJson(body) ?? undefined;

/** A DTO is made and validated value by value in the main thread, so it has lower limits. */
function checkSmall(body: Buffer): Promise<void> | undefined {
  if (body.length > DTO_MAX_BYTES) {
    throw new ProblemError(
      'body_too_large',
      `This operation accepts at most ${DTO_MAX_BYTES} bytes.`,
    );
  }
  return checkJson(body, { maxParts: DTO_MAX_PARTS }) ?? undefined;
}

function checked<T extends object>(bytes: Buffer, dto: new () => T): T {
  const body = parsed(bytes);
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new InvalidBodyError([
      { loc: ['body'], msg: 'must be a JSON object', type: 'object_type' },
    ]);
  }
  const instance = instanceOf(dto, body as Members);
  const errors = validateSync(instance, { stopAtFirstError: true });
  if (errors.length > 0) throw refused(fieldErrors(errors));
  noteIgnored(bytes, ignoredMembers(body as Members, instance));
  return instance;
}

type Members = Readonly<Record<string, unknown>>;

/** class-transformer leaves out the fields that are `Verbatim`; they are set to what the client sent. */
function instanceOf<T extends object>(dto: new () => T, body: Members): T {
  const declared = Object.keys(new dto()).filter((name) => Object.hasOwn(body, name));
  const plain = Object.fromEntries(declared.map((name) => [name, withoutConstructor(body[name])]));
  const instance = plainToInstance(dto, plain);
  for (const name of declared) {
    if (Reflect.get(instance, name) === undefined) Reflect.set(instance, name, body[name]);
  }
  return instance;
}

/** class-transformer calls the `constructor` of a value to copy it. In a parsed body that can be any JSON value. */
function withoutConstructor(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutConstructor);
  const members = Object.entries(value).filter(([name]) => name !== 'constructor');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutConstructor(member)]));
}

/** A value out of bounds, such as a negative limit, is a bad request (400) rather than an invalid body (422). */
const BOUNDS = ['min', 'arrayMaxSize'];

function refused(errors: readonly FieldError[]): ProblemError {
  const [first] = errors;
  if (first === undefined || !errors.every(({ type }) => BOUNDS.includes(type))) {
    return new InvalidBodyError(errors);
  }
  return new ProblemError('invalid_request', `${first.loc.slice(1).join('.')} ${first.msg}.`);
}

const MAX_DEPTH = 200;
const MAX_PARTS = 1_000_000;
const MAX_KEYS = 50_000;
const DTO_MAX_BYTES = 4 * 1024 * 1024;
const DTO_MAX_PARTS = 20_000;

export interface BodyLimits {
  readonly maxDepth?: number;
  readonly maxParts?: number;
  readonly maxKeys?: number;
}

function bodyOf(bytes: unknown): Buffer {
  if (Buffer.isBuffer(bytes) && bytes.length > 0) return bytes;
  throw new ProblemError('not_json', 'The body is empty; this operation needs a JSON object.');
}

/** Throws a ProblemError unless the bytes are JSON within the limits. */
export function requireJsonBody(
  bytes: unknown,
  { maxDepth = MAX_DEPTH, maxParts = MAX_PARTS, maxKeys = MAX_KEYS }: BodyLimits = {},
  observer?: ShapeObserver,
): asserts bytes is Buffer {
  const body = bodyOf(bytes);
  if (!isUtf8(body)) throw new ProblemError('not_utf8');
  const shape = jsonShape(body, maxDepth, observer);
  if (shape === undefined) throw notJson(body);
  if (shape.depth > maxDepth) throw tooComplex(`is nested deeper than ${maxDepth} levels`);
  if (shape.parts > maxParts)
    throw tooComplex(`has more than ${maxParts} values; send it in parts`);
  if (shape.keys > maxKeys) throw tooComplex(`has an object with more than ${maxKeys} keys`);
}

/**
 * The same for a body of records that are checked one by one. Each record has its own limit of depth, so that one record that
 * is too deep does not make the others fail.
 */
export function requireRecords(body: Buffer, observer?: ShapeObserver): void {
  requireJsonBody(body, { maxDepth: RECORDS_DEPTH }, observer);
}

/** For a body that is not read. A large one is empty afterwards. */
export const requireRecordsOf = readInThread(import.meta.url, 'requireRecords', (body) =>
  requireRecords(body),
);

/** Parses the body of a request, or throws a ProblemError with the reason. */
export function parseJsonBody(bytes: unknown): unknown {
  requireJsonBody(bytes);
  return parsed(bytes);
}

const parsed = (json: Buffer): unknown => JSON.parse(json.toString('utf8'));

/** JSON.parse fails again, with the reason and the place. */
function notJson(bytes: Buffer): ProblemError {
  try {
    JSON.parse(bytes.toString('utf8'));
    return new ProblemError('not_json');
  } catch (error) {
    const reason = (error as Error).message;
    return new ProblemError('not_json', `The body is not valid JSON: ${reason}`.slice(0, 300));
  }
}

function tooComplex(how: string): ProblemError {
  return new ProblemError('body_too_complex', `The body ${how}.`);
}
