import { ProblemError } from '@app/http';
import { endOfValue, walkElements } from '@app/wire';

/** Throws a ProblemError if the list at `at` is longer. The scan ends there, and nothing is parsed. */
export function requireLength(json: Buffer, at: number, what: string, max: number): void {
  let count = 0;
  walkElements(json, at, (start) => {
    if (++count > max) throw tooMany(`${what} has more than ${max} elements`);
    return endOfValue(json, start);
  });
}

export const tooMany = (how: string): ProblemError =>
  new ProblemError('body_too_complex', `${how}; send it in parts.`);
