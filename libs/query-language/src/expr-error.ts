import { HeddleError, type ErrorCode, type Place } from '@app/errors';

export type { Place };

/**
 * Why a query is refused: `shape` does not match the grammar or names an unknown field, `value` is well formed but cannot
 * be executed, `depth` is nested too deeply.
 */
export type Refusal = 'shape' | 'value' | 'depth';

const CODES = {
  shape: 'invalid_body',
  value: 'invalid_request',
  depth: 'body_too_complex',
} as const satisfies Record<Refusal, ErrorCode>;

/** A query that is refused: the path of the problem in the request, and the reason. */
export class ExprError extends HeddleError {
  readonly code: (typeof CODES)[Refusal];

  constructor(
    readonly refusal: Refusal,
    override readonly at: Place,
    message: string,
  ) {
    super(message);
    this.code = CODES[refusal];
  }
}

/** A value of the request for an error message: at most 60 characters, on one line. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
