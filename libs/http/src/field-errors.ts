import type { ValidationError } from 'class-validator';
import type { FieldError } from './problems.js';

/** Flattens class-validator's tree of errors into the list of the wire. */
export function fieldErrors(
  errors: readonly ValidationError[],
  at: readonly (string | number)[] = ['body'],
): FieldError[] {
  return errors.flatMap(({ property, constraints = {}, children = [], value }) => {
    const loc = [...at, /^\d+$/.test(property) ? Number(property) : property];
    const missing = value === undefined;
    const own = Object.entries(constraints).map(([type, message]) => ({
      loc,
      msg: missing ? 'Field required' : sentence(message, property),
      type: missing ? 'missing' : type,
    }));
    return [...(missing ? own.slice(0, 1) : own), ...fieldErrors(children, loc)];
  });
}

/** Removes the name of the property from the message, because `loc` has it. */
function sentence(message: string, property: string): string {
  const text = message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
  return text.slice(0, 300);
}
