import { ProblemError } from '@app/http';
import { endOfValue, walkElements } from '@app/wire';

/** Throws a ProblemError if the list at `at` is longer. The scan ends there, and nothing is parsed. `endAt` may know where values end. */
export function requireLength(
  json: Buffer,
  at: number,
  what: string,
  max: number,
  endAt = (start: number) => endOfValue(json, start),
): void {
  let count = 0;
  walkElements(json, at, (start) => {
    if (++count > max) throw tooMany(`${what} has more than ${max} elements`);
    return endAt(start);
  });
}

export const tooMany = (how: string): ProblemError =>
  new ProblemError('body_too_complex', `${how}; send it in parts.`);
