/** A place inside the request, such as `['query', '$expr', '$and', 0]`. */
export type Place = readonly (string | number)[];

/**
 * What kind of wrong it is: `shape` does not match the grammar or names no field, `value` is well formed but cannot be
 * asked, `depth` is nested too deeply.
 */
export type Refusal = 'shape' | 'value' | 'depth';

/** A query that cannot be asked: where it is wrong, and why. */
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

/** A value of the request inside a sentence: short, and on one line. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
