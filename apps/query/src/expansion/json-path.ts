import { asIndex } from '@app/query-language';
import { elementSpans, endOfValue, isArrayAt, memberSpans, skipSpace, type Span } from '@app/wire';

/** The keys of a value's path. A number is an index in an array and a key in an object. */
export type Path = readonly string[];

/** The bytes of the value at a path. */
export function spanAt(json: Buffer, path: Path): Span | undefined {
  const start = skipSpace(json, 0);
  let span: Span | undefined = { start, end: endOfValue(json, start) };
  for (const key of path) {
    if (span === undefined) return undefined;
    span = isArrayAt(json, span.start)
      ? elementSpans(json, span.start)[asIndex(key)]
      : memberSpans(json, span.start).get(key);
  }
  return span;
}

/** The text of the value at a path; undefined when there is no value. */
export function textAt(json: Buffer, path: Path): string | undefined {
  const span = spanAt(json, path);
  return span && json.toString('utf8', span.start, span.end);
}

export interface Replacement {
  readonly span: Span;
  readonly text: Buffer;
}

/** The text with some of its values replaced. The spans must not overlap. */
export function replaced(json: Buffer, replacements: readonly Replacement[]): Buffer {
  if (replacements.length === 0) return json;
  const inOrder = [...replacements].sort((a, b) => a.span.start - b.span.start);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { span, text } of inOrder) {
    pieces.push(json.subarray(from, span.start), text);
    from = span.end;
  }
  return Buffer.concat([...pieces, json.subarray(from)]);
}
