import { field, literal, type Literal, printFilter } from '@app/query-language/text';
import type { JsonNode } from './json-index.js';

/** The filter for calls with this value. A number that a program would round is compared as the text that was sent. */
export function valueFilter(path: string, kind: JsonNode['kind'], text: string): string {
  return printFilter({ $eq: [field(path), literal(literalOf(kind, text))] });
}

function literalOf(kind: JsonNode['kind'], text: string): Literal {
  if (kind === 'string') return text;
  if (kind === 'number' && String(Number(text)) !== text) return text;
  return JSON.parse(text) as Literal;
}
