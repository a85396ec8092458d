import { isUtf8 } from 'node:buffer';
import { jsonShape } from '@app/wire';
import { ProblemError } from './problems.js';

const MAX_DEPTH = 200;
const MAX_PARTS = 1_000_000;

export interface BodyLimits {
  readonly maxDepth?: number;
  readonly maxParts?: number;
}

/** Throws a Problem unless the bytes of a request are JSON that is not too expensive to parse. */
export function requireJsonBody(
  bytes: unknown,
  { maxDepth = MAX_DEPTH, maxParts = MAX_PARTS }: BodyLimits = {},
): asserts bytes is Buffer {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
    throw new ProblemError('not_json', 'The body is empty; this operation takes a JSON object.');
  }
  if (!isUtf8(bytes)) throw new ProblemError('not_utf8');
  const shape = jsonShape(bytes, maxDepth);
  if (shape === undefined) throw notJson(bytes);
  if (shape.depth > maxDepth) throw tooComplex(`is nested deeper than ${maxDepth} levels`);
  if (shape.parts > maxParts)
    throw tooComplex(`has more than ${maxParts} values; send it in parts`);
}

/** The bytes of a request as a parsed value, or a Problem that says why not. */
export function parseJsonBody(bytes: unknown): unknown {
  requireJsonBody(bytes);
  return JSON.parse(bytes.toString('utf8')) as unknown;
}

/** The parser knows best what is wrong, and where. */
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
