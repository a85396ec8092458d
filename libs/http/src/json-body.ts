import { isUtf8 } from 'node:buffer';
import { jsonShape } from '@app/wire';
import { ProblemError } from './problems.js';

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
