/** A path inside the request, such as `['query', '$expr', '$and', 0]`. */
export type Place = readonly (string | number)[];

/**
 * Why a query is refused: `shape` does not match the grammar or names an unknown field, `value` is well formed but cannot
 * be executed, `depth` is nested too deeply.
 */
export type Refusal = 'shape' | 'value' | 'depth';

/** A query that is refused: the path of the problem in the request, and the reason. */
export class ExprError extends Error {
  override readonly name = 'ExprError';

  constructor(
    readonly refusal: Refusal,
    readonly at: Place,
    message: string,
  ) {
    super(message);
  }
}

/** A value of the request for an error message: at most 60 characters, on one line. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
