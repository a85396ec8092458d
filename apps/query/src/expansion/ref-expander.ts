import { Slices } from '@app/http';
import { refIn, type Ref } from '@app/contracts';
import { withMemberBytes, type Span } from '@app/wire';
import { tooManyBytes } from '../refs/value-memory.js';
import { JsonSpans, type Path } from './json-path.js';

/** Resolves to one JSON text per ref, in order; null for a ref that cannot be read. */
export type ReadRefs = (refs: readonly Ref[]) => Promise<readonly (Buffer | null)[]>;

/** A JSON text in pieces. They are written one after the other, because joined they may not fit into memory. */
export type Pieces = Iterable<Buffer>;

/** Bounds the values that stay in memory between blocks. */
const CACHE_MAX_BYTES = 16 * 1024 * 1024;
/** A longer string is not a ref. */
const REF_MAX_BYTES = 64 * 1024;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;

/** A ref inside a text, and the paths to expand inside the value that it points to. */
interface RefOccurrence {
  readonly span: Span;
  readonly text: string;
  readonly ref: Ref;
  readonly paths: readonly Path[];
}

/** A text, and the refs in it in the order of the text. */
interface ExpandedText {
  readonly json: Buffer;
  readonly refs: readonly RefOccurrence[];
}

/**
 * Replaces refs inside JSON texts by the values they point to. Serves one request. Reads each ref once, and scans each
 * value once, however many texts contain the ref.
 */
export class RefExpander {
  private readonly values = new Map<string, Buffer | null>();
  private readonly expanded = new Map<string, ExpandedText | null>();
  private cachedBytes = 0;
  private writtenBytes = 0;

  /** The response may have at most `maxBytes` of the values of refs. */
  constructor(
    private readonly readRefs: ReadRefs,
    private readonly mayRead: (projectId: string) => boolean,
    private readonly maxBytes: number,
  ) {}

  /**
   * The texts, in order, with the refs at these paths replaced, also refs inside the values of other refs. Refs are read
   * once per depth. Throws ProblemError before the first text when all of them together are too large. The pieces can be
   * read until the next call.
   */
  async expand(texts: readonly Buffer[], paths: readonly Path[]): Promise<readonly Pieces[]> {
    if (this.cachedBytes > CACHE_MAX_BYTES) this.clearCache();
    const slices = new Slices();
    const found: ExpandedText[] = [];
    for (const text of texts) {
      await slices.next();
      found.push(this.refsIn(text, paths));
    }
    await this.readAll(found);
    for (const text of found) this.writtenBytes += this.sizeOf(text) - text.json.length;
    if (this.writtenBytes > this.maxBytes) throw tooManyBytes(this.maxBytes);
    return found.map((text) => ({ [Symbol.iterator]: () => this.piecesOf(text) }));
  }

  private refsIn(json: Buffer, paths: readonly Path[]): ExpandedText {
    const spans = new JsonSpans(json);
    const refs = new Map<number, RefOccurrence>();
    for (const path of paths) {
      const span = spans.at(path);
      if (span === undefined || json[span.start] !== QUOTE || refs.has(span.start)) continue;
      if (span.end - span.start > REF_MAX_BYTES) continue;
      const text = JSON.parse(json.toString('utf8', span.start, span.end)) as string;
      const ref = refIn(text);
      if (ref && isValue(ref) && this.mayRead(ref.projectId))
        refs.set(span.start, { span, text, ref, paths: pathsBehind(path, paths) });
    }
    return { json, refs: [...refs.values()].sort((a, b) => a.span.start - b.span.start) };
  }

  /** Reads the values of these refs, then those of the refs inside the values, which have shorter paths each time. */
  private async readAll(texts: readonly ExpandedText[]): Promise<void> {
    const slices = new Slices();
    let open = texts;
    while (open.length > 0) {
      const refs = open.flatMap((text) => text.refs);
      await this.read(refs);
      slices.resume();
      const values: ExpandedText[] = [];
      for (const one of refs) {
        const key = keyOf(one);
        if (this.expanded.has(key)) continue;
        await slices.next();
        const value = this.values.get(one.text);
        const expanded = value ? this.refsIn(value, one.paths) : null;
        this.expanded.set(key, expanded);
        if (expanded) values.push(expanded);
      }
      open = values;
    }
  }

  private async read(refs: readonly RefOccurrence[]): Promise<void> {
    const unread = new Map(
      refs.filter(({ text }) => !this.values.has(text)).map(({ text, ref }) => [text, ref]),
    );
    if (unread.size === 0) return;
    const values = await this.readRefs([...unread.values()]);
    for (const [i, text] of [...unread.keys()].entries()) {
      const value = values[i] ?? null;
      this.values.set(text, value && withRef(value, text));
      this.cachedBytes += text.length + (value?.length ?? 0);
    }
  }

  private sizeOf({ json, refs }: ExpandedText): number {
    return refs.reduce((bytes, one) => {
      const value = this.expanded.get(keyOf(one));
      return value ? bytes - (one.span.end - one.span.start) + this.sizeOf(value) : bytes;
    }, json.length);
  }

  private *piecesOf({ json, refs }: ExpandedText): Generator<Buffer> {
    let from = 0;
    for (const one of refs) {
      const value = this.expanded.get(keyOf(one));
      if (!value) continue;
      yield json.subarray(from, one.span.start);
      yield* this.piecesOf(value);
      from = one.span.end;
    }
    yield json.subarray(from);
  }

  private clearCache(): void {
    this.values.clear();
    this.expanded.clear();
    this.cachedBytes = 0;
  }
}

const keyOf = ({ text, paths }: RefOccurrence) =>
  paths.length === 0 ? text : JSON.stringify([text, paths]);

/** The paths that continue behind this one, relative to it. */
const pathsBehind = (path: Path, paths: readonly Path[]): Path[] =>
  paths
    .filter((longer) => longer.length > path.length && path.every((key, i) => key === longer[i]))
    .map((longer) => longer.slice(path.length));

/** A ref to a call or to a whole table is not replaced. */
const isValue = (ref: Ref) => ref.kind === 'object' || ref.kind === 'op';

/** Adds the ref to a value that is an object, as `_ref`. */
function withRef(value: Buffer, ref: string): Buffer {
  if (value[0] !== OPEN_BRACE) return value;
  return withMemberBytes(value, '_ref', JSON.stringify(ref));
}
