import { asIndex } from '@app/query-language';
import { elementSpans, endOfValue, isArrayAt, memberSpans, skipSpace, type Span } from '@app/wire';

/** The keys of a value's path. A number is an index in an array and a key in an object. */
export type Path = readonly string[];

/** Finds values inside a JSON text. Each object and list of the text is scanned once, however many paths lead through it. */
export class JsonSpans {
  readonly whole: Span;
  private readonly members = new Map<number, ReadonlyMap<string, Span>>();
  private readonly elements = new Map<number, readonly Span[]>();

  constructor(readonly json: Buffer) {
    const start = skipSpace(json, 0);
    this.whole = { start, end: endOfValue(json, start) };
  }

  member({ start }: Span, key: string): Span | undefined {
    const known = this.members.get(start) ?? memberSpans(this.json, start);
    this.members.set(start, known);
    return known.get(key);
  }

  element({ start }: Span, index: number): Span | undefined {
    const known = this.elements.get(start) ?? elementSpans(this.json, start);
    this.elements.set(start, known);
    return known[index];
  }

  at(path: Path): Span | undefined {
    let span: Span | undefined = this.whole;
    for (const key of path) {
      if (span === undefined) return undefined;
      span = isArrayAt(this.json, span.start)
        ? this.element(span, asIndex(key))
        : this.member(span, key);
    }
    return span;
  }
}

/** The text of the value at a path; undefined when there is no value. */
export function textAt(json: Buffer, path: Path): string | undefined {
  const span = new JsonSpans(json).at(path);
  return span && json.toString('utf8', span.start, span.end);
}
