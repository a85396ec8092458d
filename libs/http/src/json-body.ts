import { isUtf8 } from 'node:buffer';
import { endOfString } from '@app/wire';
import { Problem } from './problems.js';

const MAX_DEPTH = 200;
const MAX_PARTS = 1_000_000;

/**
 * The bytes of a request as a parsed value, or a Problem that says why not. Depth and number of parts are counted
 * first: a small body can be very expensive to parse.
 */
export function parseJsonBody(bytes: unknown, maxParts = MAX_PARTS): unknown {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
    throw new Problem('not_json', 'The body is empty; this operation takes a JSON object.');
  }
  if (!isUtf8(bytes)) throw new Problem('not_utf8');
  refuseComplex(bytes, maxParts);
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch (error) {
    throw new Problem(
      'not_json',
      `The body is not valid JSON: ${(error as Error).message}`.slice(0, 300),
    );
  }
}

function refuseComplex(bytes: Buffer, maxParts: number): void {
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if (byte === COMMA) parts++;
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--;
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      parts++;
      if (++depth > MAX_DEPTH) throw tooComplex(`is nested deeper than ${MAX_DEPTH} levels`);
    }
  }
  if (parts > maxParts) throw tooComplex(`has more than ${maxParts} values; send it in parts`);
}

function tooComplex(how: string): Problem {
  return new Problem('body_too_complex', `The body ${how}.`);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
