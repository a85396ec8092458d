import { refIn, type Ref } from '@app/contracts';
import { withMember, type Span } from '@app/wire';
import { groupBy } from '../refs/group-by.js';
import { replaced, spanAt, type Path } from './json-path.js';

/** Resolves to one JSON text per ref, in order; null for a ref that cannot be read. */
export type ReadRefs = (refs: readonly Ref[]) => Promise<readonly (Buffer | null)[]>;

/** Bounds the values that stay in memory between blocks. */
const CACHE_MAX_BYTES = 16 * 1024 * 1024;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;

interface RefOccurrence {
  readonly span: Span;
  readonly text: string;
  readonly ref: Ref;
}

/** Replaces refs inside JSON texts by the values they point to. Serves one request, and reads each ref once. */
export class RefExpander {
  private readonly values = new Map<string, Buffer | null>();
  private bytes = 0;

  constructor(
    private readonly readRefs: ReadRefs,
    private readonly mayRead: (projectId: string) => boolean,
  ) {}

  /** The texts, in order, with the refs at these paths replaced, shallow paths first. Refs are read once per depth. */
  async expand(texts: readonly Buffer[], paths: readonly Path[]): Promise<readonly Buffer[]> {
    let expanded = texts;
    const levels = groupBy(paths, (path) => String(path.length).padStart(3, '0'));
    for (const [, level] of [...levels].sort(([a], [b]) => (a < b ? -1 : 1))) {
      expanded = await this.expandLevel(expanded, level);
    }
    if (this.bytes > CACHE_MAX_BYTES) this.clearCache();
    return expanded;
  }

  private async expandLevel(texts: readonly Buffer[], paths: readonly Path[]): Promise<Buffer[]> {
    const occurrences = texts.map((text) => this.refsIn(text, paths));
    await this.read(occurrences.flat());
    return texts.map((text, i) => {
      const replacements = occurrences[i]!.flatMap(({ span, text: ref }) => {
        const value = this.values.get(ref);
        return value ? [{ span, text: withRef(value, ref) }] : [];
      });
      return replaced(text, replacements);
    });
  }

  private refsIn(json: Buffer, paths: readonly Path[]): RefOccurrence[] {
    const occurrences = new Map<number, RefOccurrence>();
    for (const path of paths) {
      const span = spanAt(json, path);
      if (span === undefined || json[span.start] !== QUOTE) continue;
      const text = JSON.parse(json.toString('utf8', span.start, span.end)) as string;
      const ref = refIn(text);
      if (ref && isValue(ref) && this.mayRead(ref.projectId))
        occurrences.set(span.start, { span, text, ref });
    }
    return [...occurrences.values()];
  }

  private async read(occurrences: readonly RefOccurrence[]): Promise<void> {
    const unread = new Map(
      occurrences.filter(({ text }) => !this.values.has(text)).map(({ text, ref }) => [text, ref]),
    );
    if (unread.size === 0) return;
    const values = await this.readRefs([...unread.values()]);
    for (const [i, text] of [...unread.keys()].entries()) {
      const value = values[i] ?? null;
      this.values.set(text, value);
      this.bytes += text.length + (value?.length ?? 0);
    }
  }

  private clearCache(): void {
    this.values.clear();
    this.bytes = 0;
  }
}

/** A ref to a call or to a whole table is not replaced. */
const isValue = (ref: Ref) => ref.kind === 'object' || ref.kind === 'op';

/** Adds the ref to a value that is an object, as `_ref`. */
function withRef(value: Buffer, ref: string): Buffer {
  if (value[0] !== OPEN_BRACE) return value;
  return Buffer.from(withMember(value.toString('utf8'), '_ref', JSON.stringify(ref)));
}
