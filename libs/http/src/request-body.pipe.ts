import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { jsonShape } from '@app/wire';
import { fieldErrors } from './field-errors.js';
import { InvalidBodyError, ProblemError, type FieldError } from './problems.js';

/** A smaller body is parsed within a millisecond and does not wait for its turn. */
const LARGE_BYTES = 32 * 1024;

/**
 * Declares a body of records that are checked one by one. Each record has its own limit of depth, so that one record
 * that is too deep does not make the others fail. The value is a plain Buffer.
 */
export class RecordsBody extends Buffer {}
const RECORDS_DEPTH = 512;

/**
 * Parses one large body per turn of the event loop. Parsing blocks for many milliseconds, and a small request should
 * wait for at most one large body.
 */
class BodyTurns {
  private last: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    this.last = this.last.then(() => nextTurn());
    return this.last;
  }
}

/** Bytes → checked DTO. A handler that declares a Buffer gets the bytes, checked to be JSON. */
@Injectable()
export class RequestBodyPipe implements PipeTransform {
  private readonly turns = new BodyTurns();

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    if (metadata.type !== 'body') return value;
    const isLarge = Buffer.isBuffer(value) && value.length > LARGE_BYTES;
    if (isLarge) return this.turns.next().then(() => this.read(value, metadata));
    return this.read(value, metadata);
  }

  private read(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (metatype === RecordsBody) requireJsonBody(value, { maxDepth: RECORDS_DEPTH });
    else if (metatype === Buffer) requireJsonBody(value);
    else return checked(parseJsonBody(value), metatype as new () => object);
    return value;
  }
}

function checked<T extends object>(body: unknown, dto: new () => T): T {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new InvalidBodyError([
      { loc: ['body'], msg: 'must be a JSON object', type: 'object_type' },
    ]);
  }
  const instance = instanceOf(dto, body as Members);
  const errors = validateSync(instance, { stopAtFirstError: true });
  if (errors.length > 0) throw refused(fieldErrors(errors));
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

export interface BodyLimits {
  readonly maxDepth?: number;
  readonly maxParts?: number;
}

/** Throws a ProblemError unless the bytes are JSON within the limits. */
export function requireJsonBody(
  bytes: unknown,
  { maxDepth = MAX_DEPTH, maxParts = MAX_PARTS }: BodyLimits = {},
): asserts bytes is Buffer {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
    throw new ProblemError('not_json', 'The body is empty; this operation needs a JSON object.');
  }
  if (!isUtf8(bytes)) throw new ProblemError('not_utf8');
  const shape = jsonShape(bytes, maxDepth);
  if (shape === undefined) throw notJson(bytes);
  if (shape.depth > maxDepth) throw tooComplex(`is nested deeper than ${maxDepth} levels`);
  if (shape.parts > maxParts)
    throw tooComplex(`has more than ${maxParts} values; send it in parts`);
}

/** Parses the body of a request, or throws a ProblemError with the reason. */
export function parseJsonBody(bytes: unknown): unknown {
  requireJsonBody(bytes);
  return JSON.parse(bytes.toString('utf8')) as unknown;
}

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
