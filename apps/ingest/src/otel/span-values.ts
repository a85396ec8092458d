import { JsonText } from '@app/wire';
import type { AttributeValue } from './span.js';

/** A value where a text is wanted; what has members is no text. */
export function textOf(value: AttributeValue | undefined): string | undefined {
  if (value === undefined || value === null || typeof value === 'object') {
    return value instanceof JsonText ? textInside(value) : undefined;
  }
  return String(value);
}

function textInside(json: JsonText): string | undefined {
  const text = json.toString();
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed === 'string') return parsed;
  return typeof parsed === 'number' || typeof parsed === 'boolean' ? text : undefined;
}

export function numberOf(value: AttributeValue | undefined): number | undefined {
  const number = Number(textOf(value) || NaN);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

export function booleanOf(value: AttributeValue | undefined): boolean | undefined {
  const text = textOf(value)?.toLowerCase();
  return text === 'true' || text === 'false' ? text === 'true' : undefined;
}
