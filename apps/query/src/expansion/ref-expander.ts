import { refIn, type Ref } from '@app/contracts';
import { withMember, type Span } from '@app/wire';
import { groupBy } from '../refs/group-by.js';
import { replaced, spanAt, type Path } from './json-place.js';

/** Gives one text per ref, in order; null for what cannot be read. */
export type ReadRefs = (refs: readonly Ref[]) => Promise<readonly (Buffer | null)[]>;

/** Texts that are remembered between blocks. */
const REMEMBER_BYTES = 16 * 1024 * 1024;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;

interface Spot {
  readonly span: Span;
  readonly text: string;
  readonly ref: Ref;
}

/** Replaces refs inside JSON texts by what they lead to. Belongs to one request, and reads a ref once. */
export class RefExpander {
  private readonly values = new Map<string, Buffer | null>();
  private bytes = 0;

  constructor(
    private readonly readRefs: ReadRefs,
    private readonly mayRead: (projectId: string) => boolean,
  ) {}

  /** The texts, in order, with the refs at these paths replaced, shallow paths first. One question per depth. */
  async expand(texts: readonly Buffer[], paths: readonly Path[]): Promise<readonly Buffer[]> {
    let expanded = texts;
    const levels = groupBy(paths, (path) => String(path.length).padStart(3, '0'));
    for (const [, level] of [...levels].sort(([a], [b]) => (a < b ? -1 : 1))) {
      expanded = await this.expandLevel(expanded, level);
    }
    if (this.bytes > REMEMBER_BYTES) this.forget();
    return expanded;
  }

  private async expandLevel(texts: readonly Buffer[], paths: readonly Path[]): Promise<Buffer[]> {
    const spots = texts.map((text) => this.spotsIn(text, paths));
    await this.read(spots.flat());
    return texts.map((text, i) => {
      const found = spots[i]!.flatMap(({ span, text: ref }) => {
        const value = this.values.get(ref);
        return value ? [{ span, text: named(value, ref) }] : [];
      });
      return replaced(text, found);
    });
  }

  private spotsIn(json: Buffer, paths: readonly Path[]): Spot[] {
    const spots = new Map<number, Spot>();
    for (const path of paths) {
      const span = spanAt(json, path);
      if (span === undefined || json[span.start] !== QUOTE) continue;
      const text = JSON.parse(json.toString('utf8', span.start, span.end)) as string;
      const ref = refIn(text);
      if (ref && isValue(ref) && this.mayRead(ref.projectId))
        spots.set(span.start, { span, text, ref });
    }
    return [...spots.values()];
  }

  private async read(spots: readonly Spot[]): Promise<void> {
    const unknown = new Map(
      spots.filter(({ text }) => !this.values.has(text)).map(({ text, ref }) => [text, ref]),
    );
    if (unknown.size === 0) return;
    const values = await this.readRefs([...unknown.values()]);
    for (const [i, text] of [...unknown.keys()].entries()) {
      const value = values[i] ?? null;
      this.values.set(text, value);
      this.bytes += text.length + (value?.length ?? 0);
    }
  }

  private forget(): void {
    this.values.clear();
    this.bytes = 0;
  }
}

/** Calls and whole tables are no values. */
const isValue = (ref: Ref) => ref.kind === 'object' || ref.kind === 'op';

/** A value that is an object says where it came from. */
function named(value: Buffer, ref: string): Buffer {
  if (value[0] !== OPEN_BRACE) return value;
  return Buffer.from(withMember(value.toString('utf8'), '_ref', JSON.stringify(ref)));
}
