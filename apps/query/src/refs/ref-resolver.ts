import { Injectable } from '@nestjs/common';
import { refIn, type Ref, type RefEdge } from '@app/contracts';
import { ProblemError, Slices } from '@app/http';
import type { Span } from '@app/wire';
import { JsonSpans } from '../expansion/json-path.js';
import type { ReadContext } from '../read-context.js';
import { groupBy } from './group-by.js';
import { RefsReader, type FoundValue } from './refs.reader.js';

/** Refs that lead through each other for more rounds than this form a cycle. */
const ROUNDS_MAX = 32;

type ObjectRef = Extract<Ref, { kind: 'object' | 'op' }>;

/** A ref that is being resolved: the index of its result, the ref to read next, and the path that remains behind it. */
interface OpenRef {
  readonly index: number;
  readonly ref: Ref;
  readonly path: readonly RefEdge[];
}

/**
 * Resolves many refs together: one round of statements per level of nesting, never one per ref. The caller has already
 * authorised the projects of the refs; a ref that leads into another project resolves to null.
 */
@Injectable()
export class RefResolver {
  constructor(private readonly refs: RefsReader) {}

  /** JSON texts in the order of the refs; null where a path has no value. Throws ProblemError for an unknown ref. */
  resolve(refs: readonly Ref[], context: ReadContext): Promise<(Buffer | null)[]> {
    return this.resolveAll(refs, true, context);
  }

  /** The same, but null for an unknown ref. */
  resolveKnown(refs: readonly Ref[], context: ReadContext): Promise<(Buffer | null)[]> {
    return this.resolveAll(refs, false, context);
  }

  private async resolveAll(
    refs: readonly Ref[],
    isStrict: boolean,
    context: ReadContext,
  ): Promise<(Buffer | null)[]> {
    const values = new Array<Buffer | null>(refs.length).fill(null);
    let open: OpenRef[] = refs.map((ref, index) => ({ index, ref, path: ref.extra }));
    const slices = new Slices();
    for (let round = 0; open.length > 0 && round < ROUNDS_MAX; round++) {
      const next: OpenRef[] = [];
      for (const [projectId, ofProject] of groupBy(open, ({ ref }) => ref.projectId)) {
        const found = await this.read(projectId, ofProject, isStrict, context);
        slices.resume();
        const spans = new SpansOfValues();
        for (const [i, one] of ofProject.entries()) {
          await slices.next();
          const result = follow(one, found[i], spans);
          if ('value' in result) values[one.index] = result.value;
          else next.push(result.open);
        }
      }
      open = next;
    }
    return values;
  }

  /** The value that each ref points to, before its path is followed: an object, or a row of a table. */
  private async read(
    projectId: string,
    open: readonly OpenRef[],
    isStrict: boolean,
    context: ReadContext,
  ): Promise<FoundValue[]> {
    const objects = open.filter(({ ref }) => isObject(ref));
    const rowOf = (one: OpenRef) => (isStrict ? requireRowDigest(one) : rowDigest(one));
    const digests = open
      .filter(({ ref }) => ref.kind === 'table')
      .map(rowOf)
      .filter((digest) => digest !== undefined);
    const [values, rows] = await Promise.all([
      objects.length === 0
        ? []
        : this.refs.objects(
            projectId,
            objects.map(({ ref }) => ref as ObjectRef),
            context,
          ),
      digests.length === 0
        ? new Map<string, Buffer>()
        : this.refs.rows(projectId, digests, context),
    ]);
    const byObject = new Map(objects.map((one, i) => [one, values[i]]));
    const found = open.map((one) =>
      one.ref.kind === 'table' ? rows.get(rowOf(one) ?? '') : byObject.get(one),
    );
    if (isStrict) requireAll(open, found);
    return found;
  }
}

const isObject = (ref: Ref): ref is ObjectRef => ref.kind === 'object' || ref.kind === 'op';

function rowDigest({ path: [edge] }: OpenRef): string | undefined {
  return edge?.kind === 'id' ? edge.value : undefined;
}

/** A ref to a table must continue to one of its rows. */
function requireRowDigest(open: OpenRef): string {
  const digest = rowDigest(open);
  if (digest !== undefined) return digest;
  const [edge] = open.path;
  const step = edge === undefined ? 'nothing' : `${edge.kind}/${edge.value.slice(0, 60)}`;
  throw new ProblemError(
    'invalid_ref',
    `A ref to a table needs id/<row digest> behind it, not ${step}.`,
  );
}

function requireAll(open: readonly OpenRef[], found: readonly FoundValue[]): void {
  const missing = open.filter((_, i) => found[i] === undefined);
  const [first] = missing;
  if (first === undefined) return;
  const digests = missing.map((one) =>
    isObject(one.ref) ? `${one.ref.name}:${one.ref.digest}` : requireRowDigest(one),
  );
  const shown = digests.slice(0, 10).join(', ');
  throw isObject(first.ref)
    ? new ProblemError('object_not_found', `There is no ${shown}.`, { missing: digests })
    : new ProblemError('row_not_found', `There is no row ${shown}.`, { missing: digests });
}

/** Refs into the same value share one scan of it. */
class SpansOfValues {
  private readonly ofValue = new Map<Buffer, JsonSpans>();

  of(value: Buffer): JsonSpans {
    const spans = this.ofValue.get(value) ?? new JsonSpans(value);
    this.ofValue.set(value, spans);
    return spans;
  }
}

/** Follows the path of a ref into its value: to JSON text, to nothing, or to another ref of the same project. */
function follow(
  { index, ref, path }: OpenRef,
  found: FoundValue,
  spansOf: SpansOfValues,
): { readonly value: Buffer | null } | { readonly open: OpenRef } {
  if (!Buffer.isBuffer(found)) return { value: null };
  const edges = ref.kind === 'table' ? path.slice(1) : path;
  if (edges.length === 0) return { value: found };
  const spans = spansOf.of(found);
  let span = spans.whole;
  for (const [at, edge] of edges.entries()) {
    const next = refAt(found, span);
    if (next !== undefined) {
      if (next.projectId !== ref.projectId || next.kind === 'call') return { value: null };
      return { open: { index, ref: next, path: [...next.extra, ...edges.slice(at)] } };
    }
    const inner = spanBehind(spans, span, edge);
    if (inner === undefined) return { value: null };
    span = inner;
  }
  return { value: found.subarray(span.start, span.end) };
}

function spanBehind(spans: JsonSpans, span: Span, { kind, value }: RefEdge): Span | undefined {
  if (kind === 'id') return undefined;
  return kind === 'index' ? spans.element(span, Number(value)) : spans.member(span, value);
}

const QUOTE = 0x22;

function refAt(json: Buffer, { start, end }: Span): Ref | undefined {
  if (json[start] !== QUOTE) return undefined;
  return refIn(JSON.parse(json.toString('utf8', start, end)) as string);
}
