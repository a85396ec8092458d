import { JsonText } from '@app/wire';
import type { AttributeValue } from './span.js';

/** As JSON text. Integers keep their digits; a number that JSON has no word for is null. */
export function printAttribute(value: AttributeValue): string {
  if (typeof value === 'bigint' || value instanceof JsonText) return String(value);
  if (Array.isArray(value)) return `[${value.map(printAttribute).join(',')}]`;
  if (value instanceof Map) {
    const members = [...(value as ReadonlyMap<string, AttributeValue>)];
    return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${printAttribute(value)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
