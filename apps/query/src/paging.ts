import type { Direction, SortField } from '@app/contracts';
import { InvalidBodyError, ProblemError } from '@app/http';

/** A direction by either of its names; a key without one is refused. */
export function directionOf({ direction, order }: SortField, index: number): Direction {
  const given = direction ?? order;
  if (given) return given;
  throw new InvalidBodyError([
    { loc: ['body', 'sort_by', index, 'direction'], msg: 'Field required', type: 'missing' },
  ]);
}

interface Window {
  readonly limit?: number | null;
  readonly offset?: number | null;
}

export function windowOf({ limit, offset }: Window): { limit: number | undefined; offset: number } {
  for (const [name, value] of Object.entries({ limit, offset })) {
    if (value && value < 0) {
      throw new ProblemError('invalid_request', `${name} must not be negative, but is ${value}.`);
    }
  }
  return {
    limit: limit === null || limit === undefined ? undefined : Math.min(limit, MOST),
    offset: Math.min(offset ?? 0, MOST),
  };
}

/** More than there can be, and still a number that adds up exactly. */
const MOST = 2 ** 50;
